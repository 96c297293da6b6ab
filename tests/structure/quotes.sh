#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# usage: quotes.sh <root of the repository> [<compiler> <folder of Eigen>]
# Holds the blocks of C++ in README.md and the pages of docs to what they say. A comment before a block tells which kind it
# is:
#     <!-- from examples/first_grid.cpp -->       the block is a run of lines of that file, up to common indentation,
#                                                 behind any of its includes
#     <!-- with: #include <quoin/quoin.hpp>
#     extern quoin::Point<2> x; -->               the block compiles behind these lines
# The first holds for blocks of any language. A block without a comment compiles as it stands. With a compiler given, all blocks that are not quotes go through it
# in one run, each in a namespace of its own, and in a function unless it begins with struct, class or template.
set -eu
cd "$1"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0
pages=
for page in README.md docs/*.md docs/robots/*.md docs/studies/*.md docs/tutorial/*.md docs/notes/*.md; do
  [ ! -e "$page" ] || pages="$pages $page"
done

# writes the includes of all blocks, then the blocks
awk -v includes="$work/includes" -v blocks="$work/blocks" '
  function complain(why) {
    printf "%s:%d: %s\n", page, start, why
    bad = 1
  }
  function indentation(line) {
    match(line, /^ */)
    return RLENGTH
  }
  # Whether the block is a run of lines of `file`: whether all others follow some first line.
  function check_quote(file, n, i, from, shift, text, first, has) {
    n = 0
    while ((getline text < file) > 0) has[source[++n] = text] = 1
    close(file)
    if (n == 0) return complain("there is no " file " to quote from")
    for (first = 1; first < lines && (block[first] ~ /^#include / || block[first] == ""); ++first)
      if (block[first] != "" && !(block[first] in has)) return complain(file " does not include that")
    for (from = 1; from + lines - first <= n; ++from) {
      shift = indentation(source[from]) - indentation(block[first])
      for (i = first; i <= lines; ++i) {
        text = source[from + i - first]
        if (text != block[i] && (indentation(text) < shift || substr(text, shift + 1) != block[i])) break
      }
      if (i > lines) return
    }
    complain("these are not lines of " file)
  }
  function put(text) {
    if (text ~ /^[ \t]*#[ \t]*include/) {
      print text > includes
      print "" > blocks  # the lines behind it keep their numbers
    } else {
      print text > blocks
    }
  }
  function put_block(i, n, context, first) {
    printf "namespace block_%d {\n#line %d \"%s\"\n", ++count, comment_start, page > blocks
    n = split(comment, context, "\n")
    for (i = 1; i <= n; ++i) put(context[i])
    first = 1
    while (first < lines && block[first] ~ /^[ \t]*(\/\/.*|#.*)?$/) ++first
    i = block[first] ~ /^(struct|class|template)[^A-Za-z_0-9]/
    printf "%s\n#line %d \"%s\"\n", (i ? "" : "void statements() {"), start + 1, page > blocks
    first = i
    for (i = 1; i <= lines; ++i) put(block[i])
    print (first ? "}" : "} }") > blocks
  }
  function check_end() {
    if (fence == 1) complain("a block of C++ without an end")
    if (in_comment) complain("a comment without an end")
  }
  FNR == 1 {
    check_end()
    page = FILENAME
    fence = in_comment = 0
    comment = ""
  }
  fence == 1 && /^ *```$/ {  # the end of a block of C++
    if (sub(/^from /, "", comment)) check_quote(comment)
    else if (comment == "" || sub(/^with:/, "", comment)) put_block()
    else complain("the comment before a block begins with \"from \" or \"with:\"")
    fence = 0
    comment = ""
    next
  }
  fence == 1 { block[++lines] = $0; next }
  fence == 2 && /^ *```$/ {
    if (sub(/^from /, "", comment)) check_quote(comment)
    fence = 0
    comment = ""
    next
  }
  fence == 2 { block[++lines] = $0; next }
  /^ *```/ {
    start = FNR
    lines = 0
    fence = /^```cpp$/ ? 1 : 2
    if (/``` *([cC]\+\+|cc|cxx|hpp|[cC][pP][pP])/ && fence == 2) complain("a block of C++ begins with ```cpp and no space")
    next
  }
  /^<!--/ {
    in_comment = 1
    comment = ""
    start = comment_start = FNR
    sub(/^<!-- */, "")
  }
  in_comment {
    if (sub(/ *-->.*/, "")) in_comment = 0
    comment = comment (comment_start == FNR ? "" : "\n") $0
    next
  }
  !/^[ \t]*$/ { comment = "" }
  END {
    check_end()
    exit bad
  }
' $pages || bad=1

if [ $# -ge 3 ] && [ -e "$work/blocks" ]; then
  touch "$work/includes"
  LC_ALL=C sort -u "$work/includes" | cat - "$work/blocks" >"$work/blocks.cpp"
  # grids come from a library, as far as blocks are concerned: else most of the time would go into what compiles there
  "$2" -std=c++20 -fsyntax-only -w -DQUOIN_LINKS_COMPILED_GRID -I include -I . -isystem "$3" "$work/blocks.cpp" || bad=1
fi
exit $bad
