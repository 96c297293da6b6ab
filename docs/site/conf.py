# SPDX-License-Identifier: BSD-3-Clause
"""The documentation as a site: the Markdown pages of the repository, where they stand, from README.md on.

CMake runs it (target quoin_site) with the repository's root as source folder. The navigation is read from the tables of
docs/README.md and docs/tutorial/README.md, so that a page is named once. Formulas become MathML (mathml.py).
"""

import importlib
import importlib.util
import os
import pathlib
import re
import shutil
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
root = pathlib.Path(__file__).resolve().parents[2]


def python_modules():
    """The module quoin and those beside it, where it can be imported; otherwise its reference is left out."""
    try:
        import quoin  # noqa: F401
    except ImportError:
        return []
    models = ["soft_arm", "rigid_body", "topology", "fluidic_arm", "swimmer"]
    beside = ["scipy", "torch", "plot", "planning", "identification", *models]
    return ["quoin"] + [f"quoin.{name}" for name in beside if is_there(f"quoin.{name}")]


def is_there(module):
    """Whether it can be imported: parts of the package are built where their components are."""
    try:
        importlib.import_module(module)
    except ImportError:
        return False
    return True


project = "Quoin"
copyright = "the authors of Quoin, BSD-3-Clause"
numbers = re.findall(r"#define QUOIN_VERSION_\w+ (\d+)", (root / "include/quoin/version.hpp").read_text())
version = ".".join(numbers)
release = version
root_doc = "README"
extensions = ["myst_parser", "mathml"]
source_suffix = {".md": "markdown"}
include_patterns = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "examples/README.md", "docs/**.md"]
exclude_patterns = [folder.name for folder in root.iterdir() if folder.is_dir() and folder.name not in ("docs", "examples")]
exclude_patterns += ["docs/site/cpp_front_page.md"]
python = python_modules()
if python:
    extensions += ["sphinx.ext.autodoc", "numpydoc"]
    numpydoc_show_class_members = False
    autodoc_typehints = "none"  # the docstrings say types and shapes
    autodoc_mock_imports = [name for name in ("scipy", "torch", "matplotlib") if not importlib.util.find_spec(name)]
    nitpick_ignore_regex = [("py:.*", ".*")]  # types of NumPy and of Python itself
else:
    exclude_patterns += ["docs/site/python_api.md"]
nitpicky = True

myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 4
highlight_language = "none"  # of indented blocks, which hold formulas
math_number_all = False

html_theme = "furo"
html_title = f"Quoin {version}"
html_static_path = ["static"]
html_css_files = ["quoin.css"]
html_show_sourcelink = False
html_copy_source = False
html_show_sphinx = False
html_theme_options = {"navigation_with_keys": True}


def rows(table):
    """The (title, target) of the links in the first column of a table."""
    return re.findall(r"^\| *\[([^\]]+)\]\(([^)#]+\.md)\)", table, re.MULTILINE)


def capitalized(title):
    return title.upper() if len(title) == 2 else title[:1].upper() + title[1:]


def toctree(caption, pages):
    entries = "\n".join(f"{capitalized(title)} <{page}>" for title, page in pages)
    return f"\n```{{toctree}}\n:hidden:\n:caption: {caption}\n\n{entries}\n```\n"


def navigation():
    """The tables of contents of the front page: the tutorial, what docs/README.md lists by section, the references."""
    text = ""
    tutorial = (root / "docs/tutorial/README.md").read_text()
    text += toctree("Tutorial", [("Overview", "docs/tutorial/README.md")]
                    + [(title, f"docs/tutorial/{page}") for title, page in rows(tutorial)])
    text += toctree("Documentation", [("All pages", "docs/README.md"), ("Examples", "examples/README.md")])
    for section in re.split(r"^## ", (root / "docs/README.md").read_text(), flags=re.MULTILINE)[1:]:
        caption = section.splitlines()[0]
        pages = [(title, f"docs/{page}") for title, page in rows(section) if not page.startswith("tutorial/")]
        if pages:
            text += toctree(caption, pages)
    references = [("C++", "docs/site/cpp_api.md")]
    if python:
        references.append(("Python", "docs/site/python_api.md"))
    text += toctree("Reference", references)
    text += toctree("Project", [("Changelog", "CHANGELOG.md"), ("Contributing", "CONTRIBUTING.md")])
    return text


def complete_pages(app, docname, source):
    if docname == root_doc:
        source[0] += navigation()
    if docname.startswith("docs/notes/"):  # their guides lead to them
        source[0] = "---\norphan: true\n---\n\n" + source[0]
    if docname == "docs/site/python_api":
        for module in python:
            gathers = hasattr(importlib.import_module(module), "__all__")  # from modules that are not public
            imported = "   :imported-members:\n" if gathers else ""
            source[0] += f"\n## {module}\n\n```{{eval-rst}}\n.. automodule:: {module}\n   :members:\n{imported}```\n"


def leave_folders_unlinked(app, env, node, contnode):
    """Links to folders lead somewhere on a forge; here they are words."""
    page = pathlib.Path(env.doc2path(node["refdoc"]))
    return contnode if (page.parent / node["reftarget"]).is_dir() else None


def add_index(app, exception):
    """A web server opens index.html."""
    if exception is None and app.builder.name == "html":
        out = pathlib.Path(app.outdir)
        shutil.copyfile(out / "README.html", out / "index.html")


def setup(app):
    app.connect("source-read", complete_pages)
    app.connect("missing-reference", leave_folders_unlinked)
    app.connect("build-finished", add_index)
