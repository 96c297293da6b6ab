# SPDX-License-Identifier: BSD-3-Clause
"""What the figures.py of the studies and benchmarks share: they draw with matplotlib what the programs wrote.

A figures.py holds one function a picture, from the folder of the data to a matplotlib figure, and ends with

>>> if __name__ == "__main__":
...     pictures.main(__doc__, {"path": draw_path})

which writes <folder>/path.svg. A colour means one thing in all pictures of all studies, see the constants below. A
picture has one legend, and says the same bytes whenever it is drawn from the same data.

It needs numpy and matplotlib from 3.5 on and nothing else of this repository: quoin.plot is part of the binding to
Python, which whoever runs a study need not have built.
"""

import atexit
import csv
import glob
import json
import logging
import os
import re
import shutil
import sys
import tempfile

# Okabe and Ito (2008): they stay apart for every kind of colour vision.
BLUE = "#0072b2"
VERMILION = "#d55e00"
GREEN = "#009e73"
PURPLE = "#b4568f"
ORANGE = "#e69f00"
SKY = "#56b4e9"
BLACK = "#1f2328"
GREY = "#8c959f"
LIGHT = "#d8dee4"

# What a colour means.
GRID = BLUE  # what goes through the grid, or was learned
OTHER_GRID = SKY  # the same with other options
TRUTH = VERMILION  # exact dynamics, what was measured
PLANNED = BLACK  # what was given beforehand: a plan, a wish
LIMIT = GREY  # bounds, references
TARGET = LIGHT  # wide and behind everything else
GOAL = BLACK  # a cross
JOINTS = (PURPLE, ORANGE, GREEN)  # by their place in the chain, and dashed for a second plan
FILLS = ("#e3eff8", "#b3d3ea", "#79b1da", "#4f95c6")  # cells of the grid, by level

DASHED = (0, (5, 3))
DOTTED = (0, (2, 2))


class Refusal(Exception):
    """A sentence for whoever called the program."""


def _matplotlib():
    """The module, independent of a display, of a home, and of the user's own settings."""
    if "MPLCONFIGDIR" not in os.environ and not os.access(os.path.expanduser("~"), os.W_OK):
        os.environ["MPLCONFIGDIR"] = tempfile.mkdtemp()
        atexit.register(shutil.rmtree, os.environ["MPLCONFIGDIR"], ignore_errors=True)
    logging.getLogger("matplotlib").setLevel(logging.ERROR)
    import matplotlib

    matplotlib.rcdefaults()
    matplotlib.use("svg")
    matplotlib.rcParams.update(
        {
            "svg.fonttype": "none",
            "svg.hashsalt": "quoin",
            "font.family": "sans-serif",
            "font.size": 9,
            "axes.titlesize": 9.5,
            "axes.titleweight": "bold",
            "axes.titlelocation": "left",
            "axes.edgecolor": "#57606a",
            "axes.labelcolor": BLACK,
            "axes.spines.top": False,
            "axes.spines.right": False,
            "axes.grid": True,
            "axes.axisbelow": True,
            "axes.formatter.use_mathtext": False,
            "axes.prop_cycle": matplotlib.cycler(color=[BLUE, VERMILION, GREEN, PURPLE, ORANGE, SKY, BLACK, GREY]),
            "grid.color": "#e4e8ec",
            "grid.linewidth": 0.7,
            "xtick.color": "#57606a",
            "ytick.color": "#57606a",
            "legend.frameon": False,
            "lines.linewidth": 1.6,
            "lines.markersize": 4,
            "figure.titlesize": 11,
            "figure.titleweight": "bold",
        }
    )
    return matplotlib


try:
    import numpy as np

    matplotlib = _matplotlib()
    from matplotlib import patheffects, pyplot, ticker  # noqa: F401
except ImportError as error:
    sys.exit(
        f"The pictures need {error.name or 'numpy and matplotlib'}, which is not installed (Debian: python3-numpy "
        "python3-matplotlib); the data are there without it."
    )


def read_rows(folder, name, keys=()):
    """The rows of a JSON file, an array of objects; null becomes NaN, arrays of numbers become arrays of numpy. Refuses
    a file that is missing or no such file, and rows without one of the keys."""
    path = os.path.join(folder, name)
    try:
        with open(path, encoding="utf-8") as file:
            rows = json.load(file)
    except OSError as error:
        raise Refusal(f"cannot read {path}: {error.strerror}; the program writes it") from error
    except ValueError as error:
        raise Refusal(f"{path} is no JSON: {error}") from error
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise Refusal(f"{path} is no array of objects")
    for row in rows:
        for key in keys:
            if key not in row:
                raise Refusal(f"{path} has a row without '{key}'")
    return [{key: _value(value) for key, value in row.items()} for row in rows]


def _value(value):
    if value is None:
        return np.nan
    if isinstance(value, list) and not any(isinstance(one, str) for one in value):
        return np.array([np.nan if one is None else one for one in value], dtype=float)
    return value


def read_table(folder, name, columns=()):
    """The columns of a CSV file by their names. Refuses a file that is missing, and one without one of the columns."""
    path = os.path.join(folder, name)
    try:
        with open(path, encoding="utf-8", newline="") as file:
            header, *rows = csv.reader(file)
        table = dict(zip(header, np.array(rows, dtype=float).reshape(len(rows), len(header)).T))
    except OSError as error:
        raise Refusal(f"cannot read {path}: {error.strerror}; the program writes it") from error
    except ValueError as error:
        raise Refusal(f"{path} is no table of numbers with a header: {error}") from error
    for column in columns:
        if column not in table:
            raise Refusal(f"{path} has no column '{column}'")
    return table


def is_there(folder, name):
    return os.path.exists(os.path.join(folder, name))


def stairs(times, values):
    """Points of a line that keeps each value from its time until the next."""
    return np.repeat(times, 2)[1:], np.repeat(values, 2)[:-1]


def panels(rows, columns, width=4.4, height=3.2, title=None, **options):
    """A figure of panels, and the panels in a list, row by row; width and height are of one, in inches."""
    figure, axes = pyplot.subplots(
        rows, columns, figsize=(width * columns, height * rows), layout="constrained", squeeze=False, **options
    )
    if title:
        figure.suptitle(title, x=0.01, ha="left")
    return figure, list(axes.ravel())


def mosaic(rows, width=4.4, height=3.2, title=None):
    """The same of panels of unequal size, by their names: ["aab", "ccb"]."""
    figure = pyplot.figure(figsize=(width * len(rows[0]), height * len(rows)), layout="constrained")
    if title:
        figure.suptitle(title, x=0.01, ha="left")
    return figure, figure.subplot_mosaic([list(row) for row in rows])


def drawing(axes, title=None):
    """Makes a panel a drawing: no axes, one unit of x as long as one of y."""
    axes.set_axis_off()
    axes.set_aspect("equal")
    if title:
        axes.set_title(title)


def whole_numbers(*all_of):
    for axis in all_of:
        axis.set_major_locator(ticker.MaxNLocator(integer=True))


class _Logarithms(ticker.LogLocator):
    """Ticks at powers of ten; over few decades also between them, so that there are at least three."""

    def __init__(self, between=()):
        super().__init__(numticks=8)
        self._between = between

    def tick_values(self, vmin, vmax):
        width = np.log10(vmax / vmin) if vmin > 0 and vmax > 0 else 1
        if width < 0.8:
            self.set_params(subs=(1, 1.5, 2, 3, 4, 5, 7))
        else:
            self.set_params(subs=(1, 2, 5) if width < 2 else (1, *self._between))
        return super().tick_values(vmin, vmax)


def _written(value, _):
    """The number in the fewest letters, as 0.02, 500 and 2e-5."""
    plain = f"{value:g}"
    return re.sub(r"e(-?)\+?0*", r"e\1", plain if 1e-3 <= value < 1e4 else f"{value:.1e}".replace(".0e", "e"))


def plain_ticks(axis):
    """A logarithmic axis over few decades: ticks at 1, 2, 5 times powers of ten."""
    axis.set_major_locator(_Logarithms(between=(2, 5)))
    axis.set_major_formatter(ticker.FuncFormatter(_written))
    axis.set_minor_formatter(ticker.NullFormatter())


def decades(axis):
    """A logarithmic axis, over many decades with ticks at powers of ten."""
    axis.set_major_locator(_Logarithms())
    axis.set_major_formatter(ticker.FuncFormatter(_written))
    axis.set_minor_locator(ticker.LogLocator(subs="all", numticks=99))
    axis.set_minor_formatter(ticker.NullFormatter())


def matrix(axes, values, most, first=1):
    """A matrix as cells, its columns along x from `first` on, its rows upwards from 1: blue below zero, white, red
    above, full at -most and most. Returns what a colour bar needs."""
    rows, columns = values.shape
    axes.grid(False)
    return axes.pcolormesh(
        np.arange(first, first + columns + 1) - 0.5,
        np.arange(1, rows + 2) - 0.5,
        values,
        cmap="RdBu_r",
        vmin=-most,
        vmax=most,
        rasterized=values.size > 400,
    )


def legend(figure, most_columns=9):
    """One legend below all panels, each label once."""
    entries = {}
    for axes in figure.axes:
        for handle, label in zip(*axes.get_legend_handles_labels()):
            entries.setdefault(label, handle)
    if not entries:
        return
    size = matplotlib.rcParams["font.size"]
    widest = max(len(label) for label in entries) * 0.6 * size + 5 * size
    columns = int(max(1, min(len(entries), most_columns, 72 * figure.get_figwidth() // widest)))
    figure.legend(
        list(entries.values()), list(entries), loc="upper center", bbox_to_anchor=(0.5, 0), ncol=columns, numpoints=1
    )


def _shorter(svg):
    """The same picture in fewer bytes: hundredths of a point, and what many marks or words share once."""

    def rounded(match):
        text = re.sub(r"-?\d+\.\d{3,}", lambda one: f"{float(one[0]):.2f}".rstrip("0").rstrip("."), match[0])
        return re.sub(r"\s*([MLCQz])\s*", r"\1", text) if text.startswith("d=") else text

    def dotted(match):
        """Many round marks as one line of points with round ends."""
        style, uses = match[1], match[2]
        places = re.findall(r'<use xlink:href="#(\w+)" x="([^"]*)" y="([^"]*)"', uses)
        names, fill = {place[0] for place in places}, re.search(r"fill: (#\w+)", style)
        mark = re.search(rf'<path id="{places[0][0]}" d="M0 ([\d.]+)C0\.', svg)
        edges = re.findall(r"stroke: (#\w+)", style)
        if len(places) < 8 or len(names) != 1 or not mark or not fill or edges not in ([], [fill[1]]):
            return match[0]
        width = 2 * float(mark[1]) + (1 if edges else 0)
        fade = "".join(re.findall(r"\bopacity: [\d.]+", style)[:1])
        line = f"fill: none; stroke: {fill[1]}; stroke-width: {width:.3g}; stroke-linecap: round; {fade}"
        points = "".join(f"M{x} {y}h0" for _, x, y in places)
        return f'<g><path d="{points}" style="{line}"/>\n'

    def hoisted(match):
        group, uses = match[1], match[2]
        styles = set(re.findall(r'style="([^"]*)"', uses))
        if len(styles) != 1:
            return match[0]
        return f'<g{group} style="{styles.pop()}">\n' + re.sub(r' style="[^"]*"', "", uses)

    svg = re.sub(r'\bd="[^"]*"|<use [^>]*>', rounded, svg)
    svg = re.sub(r'<g((?: clip-path="[^"]*")?)>\n((?:\s*<use [^>]*style="[^"]*"/>\n)+)', hoisted, svg)
    svg = re.sub(r'<g(?: clip-path="[^"]*")? style="([^"]*)">\n((?:\s*<use [^>]*/>\n)+)', dotted, svg)
    svg = re.sub(r"\s*<!--.*?-->|\s*<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    # names that are used get short ones, the others go
    used = list(dict.fromkeys(re.findall(r'(?:href="|url\()#(\w+)', svg)))
    short = {name: f"n{k}" for k, name in enumerate(used)}
    svg = re.sub(r' id="([^"]+)"', lambda one: f' id="{short[one[1]]}"' if one[1] in short else "", svg)
    svg = re.sub(r'(href="|url\()#(\w+)', lambda one: f"{one[1]}#{short[one[2]]}", svg)
    # what all texts share stands once, above them
    font = re.search(r"font-family: [^;\"]*", svg)
    if font and set(re.findall(r"font-family: [^;\"]*", svg)) == {font[0]}:
        svg = re.sub(r"; font-family: [^;\"]*", "", svg)
        svg = svg.replace("<svg ", f'<svg style="{font[0]}" ', 1)
    svg = re.sub(r'style="[^"]*"', lambda one: one[0].replace(": ", ":").replace("; ", ";"), svg)
    styles = re.findall(r' style="([^"]*)"', svg)
    many = [style for style in dict.fromkeys(styles) if styles.count(style) > 2]
    for k, style in enumerate(many):
        svg = svg.replace(f' style="{style}"', f' class="s{k}"')
    sheet = "".join(f".s{k}{{{style}}}\n" for k, style in enumerate(many))
    svg = svg.replace("</style>", f"\n{sheet}</style>", 1)
    return re.sub(r"\n\s*", "\n", svg)


def write(figure, path):
    """Writes the figure as SVG, as a whole or not at all, and forgets it."""
    legend(figure)
    part = f"{path}.part"
    try:
        figure.savefig(part, format="svg", bbox_inches="tight", metadata={"Date": None, "Creator": None})
        with open(part, encoding="utf-8") as file:
            svg = _shorter(file.read())
        with open(part, "w", encoding="utf-8") as file:
            file.write(svg)
        os.replace(part, path)
    except OSError as error:
        raise Refusal(f"cannot write {path}: {error.strerror}") from error
    finally:
        if os.path.exists(part):
            os.remove(part)
    pyplot.close(figure)


def main(words, figures, optional=None):
    """Draws all figures, {"name": function(folder)}, into the folder that the command line names. `optional` names the
    file of data, of those that a run may leave out, without which a figure is left out: "learning_*.csv"."""
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        print(words.strip())
        sys.exit(0 if sys.argv[1:] in (["-h"], ["--help"]) else 2)
    folder = sys.argv[1]
    try:
        if not os.path.isdir(folder):
            raise Refusal(f"there is no folder {folder}; the program makes it")
        for name, draw in figures.items():
            needed = (optional or {}).get(name)
            if needed and not glob.glob(os.path.join(glob.escape(folder), needed)):
                print(f"left out {name}.svg: this run wrote no {needed}")
                continue
            path = os.path.join(folder, f"{name}.svg")
            write(draw(folder), path)
            print(f"drew {path}")
    except Refusal as refusal:
        sys.exit(f"figures.py: {refusal}")
