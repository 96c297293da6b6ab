#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# usage: links.sh <root of the repository>
# Fails on a link, in a Markdown file, to a file that is not there, and on a page of docs or docs/tutorial that the README.md
# beside it does not name.
set -eu
cd "$1"
bad=0
for page in *.md docs/*.md docs/tutorial/*.md; do
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
  if [ "$page" != "$name" ] && [ "$name" != README.md ] && ! grep -q "($name)" "$index"; then
    echo "$index: does not name $name"
    bad=1
  fi
done
exit $bad
