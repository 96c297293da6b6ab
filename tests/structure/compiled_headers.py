#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# usage: compiled_headers.py <root of the repository> [--list]
# Every public header that declares a function which a component defines includes quoin/util/abi_check.hpp, itself
# or through another, so that a program that was compiled otherwise does not link; no other header names it.
# (Where QUOIN_LINKS_COMPILED_GRID stands, it decides.) --list: those that declare one.
import pathlib
import re
import sys

GUARD = "quoin/util/abi_check.hpp"
SCOPE = re.compile(r"\b(namespace|class|struct|union|enum)\b")


def without_comments(text):
    text = re.sub(r'R"\(.*?\)"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'', "0", text, flags=re.S)
    text = re.sub(r"//[^\n]*|/\*.*?\*/", " ", text, flags=re.S)
    return re.sub(r"^[ \t]*#(?:\\\n|[^\n])*", " ", text, flags=re.M)


def inside(text, opening, closing):
    """The text without what stands between these."""
    kept, depth = [], 0
    for c in text:
        depth += c == opening
        if depth == 0:
            kept.append(c)
        depth -= c == closing
    return "".join(kept)


def is_function(statement):
    """Whether a statement of a namespace or class declares a function that is defined elsewhere."""
    statement = re.sub(r"\b(public|private|protected)\s*:", " ", statement).strip()
    statement = re.sub(r"\[\[.*?\]\]|__attribute__\s*\(\(.*?\)\)", " ", statement).strip()
    # One that is inline is defined in the same header.
    if re.match(r"(using|typedef|friend|static_assert|template|requires|concept|extern template|inline)\b", statement):
        return False
    head = inside(statement, "(", ")")
    if not re.search(r"[\w>]\s*\(", statement) or "(*" in statement or "=" in inside(head.replace("operator=", ""), "<", ">"):
        return False
    return re.search(r"\)\s*(const|noexcept|override|final|&|\s)*(->.*)?$", statement) is not None


def declared(text):
    """The functions that a header declares and leaves to be defined, and whether each is a template's."""
    found, stack, begin = [], [], 0  # of braces: "scope", "template", "body" or "argument"
    text = without_comments(text)
    for i, c in enumerate(text):
        if c not in "{};":
            continue
        statement = text[begin:i]
        if c == "{":
            parentheses = statement.count("(") - statement.count(")")
            head = inside(statement, "(", ")")
            scope = SCOPE.search(inside(head, "<", ">")) and "(" not in re.sub(r"__attribute__\s*\(\(.*?\)\)", "", statement)
            template = re.match(r"\s*(?:(?:public|private|protected)\s*:\s*)?template\s*<(?!\s*>)", statement)
            outer = stack[-1] if stack else "scope"
            if parentheses > 0:
                stack.append("argument")  # as in options = {}
                continue
            if not scope or outer == "body":
                stack.append("body")
            else:
                stack.append("template" if template or outer == "template" else "scope")
                begin = i + 1
                continue
            if "body" in stack[:-1]:
                continue
            begin = begin if re.search(r"[\w>]\s*$", statement) and "(" not in statement else i + 1
        elif c == "}":
            if stack:
                was = stack.pop()
                if was == "argument":
                    continue
                if was != "body" or (not stack or stack[-1] != "body"):
                    begin = i + 1
        else:
            if stack and stack[-1] in ("body", "argument"):
                continue
            template = re.match(r"\s*template\s*<[^;]*?>\s*(?=[\w:]+[\s&*<])", statement)
            if is_function(statement[template.end() :] if template else statement):
                in_template = template is not None or (stack and stack[-1] == "template")
                found.append((" ".join(statement.split()), in_template))
            begin = i + 1
    return found


def is_defined(name, declaration, text):
    """Whether the text defines the member or the function that it declares."""
    if re.search(r"::\s*" + name + r"\s*\(", text):
        return True
    parameters = re.split(r"[,)=]", declaration.split(name, 1)[1].lstrip("( "))[0].strip()  # the first
    return len(re.findall(name + r"\(" + re.escape(parameters), " ".join(text.split()))) > 1


def main():
    root = pathlib.Path(sys.argv[1]) / "include"
    headers = {str(p.relative_to(root)): p.read_text() for p in sorted(root.rglob("*.hpp"))}
    included = {name: re.findall(r'^#include "([^"]+)"', text, re.M) for name, text in headers.items()}

    def reached(name, seen):
        for other in included.get(name, []):
            if other not in seen:
                seen.add(other)
                reached(other, seen)
        return seen

    bad = 0
    for name, text in headers.items():
        folder = "".join(text for other, text in headers.items() if other.startswith(name.rsplit("/", 1)[0]))
        functions = [
            statement
            for statement, in_template in declared(text)
            if not (in_template and is_defined(re.search(r"(\w+)\s*\(", statement)[1], statement, folder))
        ]
        if re.search(r"^extern template ", text, re.M):
            functions.append("extern template")
        if "QUOIN_LINKS_COMPILED_GRID" in text or name == GUARD:
            continue
        if functions and "--list" in sys.argv:
            print(f"{name}: {functions[0][:150]}")
        if functions and GUARD not in reached(name, set()):
            print(f"include/{name}: declares what a component defines, and nothing in it includes {GUARD}:\n    {functions[0]}")
            bad = 1
        if not functions and GUARD in included[name]:
            print(f"include/{name}: declares nothing that a component defines, and includes {GUARD}")
            bad = 1
    return bad


sys.exit(main())
