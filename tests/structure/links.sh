#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# usage: links.sh <root of the repository>
# Fails on a link, in a Markdown file, to a file that is not there, on a page of docs or docs/tutorial that the README.md
# beside it does not name, on a note of docs/notes without a guide of its name in docs that names it, and on a guide of
# more than 1100 words that is no list.
set -eu
cd "$1"
bad=0
for page in *.md docs/*.md docs/tutorial/*.md docs/notes/*.md; do
  [ -e "$page" ] || continue
  # code between fences is skipped: there ](...) begins a lambda
  for target in $(sed '/^```/,/^```/d' "$page" | grep -oE '\]\([^)#[:space:]]+' | sed 's/^](//' | grep -vE '^(https?|mailto):' || true); do
    if [ ! -e "$(dirname "$page")/$target" ]; then
      echo "$page: there is no $target"
      bad=1
    fi
  done
  name=$(basename "$page")
  index=$(dirname "$page")/README.md
  case "$page" in
    docs/notes/*)
      if ! grep -qs "(notes/$name" "docs/$name"; then
        echo "$page: docs/$name does not name it"
        bad=1
      fi
      continue
      ;;
    docs/README.md | docs/promises.md) ;;  # lists
    docs/*)
      words=$(wc -w <"$page")
      if [ "$words" -gt 1100 ]; then
        echo "$page: $words words; what is derived and measured goes to docs/notes/$name"
        bad=1
      fi
      ;;
  esac
  if [ "$page" != "$name" ] && [ "$name" != README.md ] && ! grep -q "($name)" "$index"; then
    echo "$index: does not name $name"
    bad=1
  fi
done
exit $bad
