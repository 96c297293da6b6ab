# SPDX-License-Identifier: BSD-3-Clause
"""usage: printed.py [--write] <root of the repository> <program> ...

Holds the tutorial's pages to what its programs print. A comment before a block says which one prints it:

    <!-- printed by any_program --storage $TMP/ball.quoin python3 rod.py -->

The programs run from the root; $TMP is a folder that is empty at the beginning of a page. Words must be the same.
Rounding differs from processor to processor, and with it how an iteration goes: numbers with an exponent, which are
errors, may differ by a factor of 3 (below 1e-9 they are rounding itself, and are not compared); others in the last digit
or by 1 %; counts above a hundred by 5 %. With --write the blocks are replaced by what is printed now.
"""

import pathlib
import re
import subprocess
import sys
import tempfile

BLOCK = re.compile(r"(<!-- printed by ([^\n]+) -->\n```text\n)(.*?)(```\n)", re.DOTALL)
NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e[-+]?\d+)?")


def same_number(one, other):
    a, b = float(one), float(other)
    if "e" in one or "e" in other:
        return max(abs(a), abs(b)) < 1e-9 or (a * b > 0 and 1 / 3 <= a / b <= 3)
    if "." not in one and "." not in other:
        return a == b or (min(a, b) > 100 and abs(a - b) <= 0.05 * max(a, b))
    last_digit = 10.0 ** -min(len(number.partition(".")[2]) for number in (one, other))
    return abs(a - b) <= max(1.5 * last_digit, 0.01 * max(abs(a), abs(b)))


def same(said, printed):
    if NUMBER.sub("#", said).split() != NUMBER.sub("#", printed).split():
        return False
    return all(map(same_number, NUMBER.findall(said), NUMBER.findall(printed)))


def run(command, programs, folder, root):
    name, *arguments = command.replace("$TMP", folder).split()
    if name not in programs:
        raise SystemExit(f"there is no program {name}; there are: {', '.join(programs)}")
    done = subprocess.run([programs[name], *arguments], cwd=root, capture_output=True, text=True, timeout=300)
    if done.returncode != 0:
        raise SystemExit(f"{command} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout


def check(page, programs, root, write):
    faults = 0
    with tempfile.TemporaryDirectory() as folder:

        def replace(block):
            nonlocal faults
            before, command, said, after = block.groups()
            printed = run(command, programs, folder, root)
            if not same(said, printed):
                faults += 1
                print(f"{page.relative_to(root)}: {command} prints\n{printed}and not\n{said}")
            return before + printed + after

        text = page.read_text(encoding="utf-8")
        new = BLOCK.sub(replace, text)
        if text.count("<!-- printed by ") != len(BLOCK.findall(text)):
            raise SystemExit(f"{page}: a comment 'printed by' without a block of text below it")
        if write:
            page.write_text(new, encoding="utf-8")
    return faults, len(BLOCK.findall(text))


def main(arguments):
    write = arguments[:1] == ["--write"]
    root = pathlib.Path(arguments[write]).resolve()
    programs = {pathlib.Path(program).name: str(pathlib.Path(program).resolve()) for program in arguments[write + 1:]}
    results = [check(page, programs, root, write) for page in sorted((root / "docs/tutorial").glob("*.md"))]
    faults, blocks = (sum(column) for column in zip(*results))
    print(f"{blocks} blocks, {faults} differ")
    return 0 if blocks > 0 and (write or faults == 0) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
