#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# usage: links.sh <root of the repository>
# Fails on a link, in a Markdown file, to a file that is not there, on a page of docs/tutorial that the README.md beside
# it, or one of docs, docs/robots or docs/studies that docs/README.md does not name, on a note of docs/notes without a
# guide of its name that names it, and on a guide of more than 1100 words that is no list.
set -eu
cd "$1"
bad=0
for page in *.md docs/*.md docs/robots/*.md docs/studies/*.md docs/tutorial/*.md docs/notes/*.md; do
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
  place=$name  # as the index names it
  case "$page" in docs/robots/* | docs/studies/*) index=docs/README.md place=${page#docs/} ;; esac
  case "$page" in
    docs/notes/*)
      if ! grep -qsE "\((\.\./)?notes/$name" "docs/$name" "docs/robots/$name" "docs/studies/$name"; then
        echo "$page: no guide $name names it"
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
  if [ "$page" != "$name" ] && [ "$name" != README.md ] && ! grep -q "($place)" "$index"; then
    echo "$index: does not name $place"
    bad=1
  fi
done
exit $bad
