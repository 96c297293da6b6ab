# SPDX-License-Identifier: BSD-3-Clause
"""usage: check_site.py <folder of the site>

Fails on a link, within the site, to a file or a place in a page that is not there, on anything that a page loads from
another server, and on a page of docs that the search does not know.
"""

import html.parser
import json
import pathlib
import re
import sys
import urllib.parse

# What a browser loads by itself, and what a reader may follow.
LOADED = {("link", "href"), ("script", "src"), ("img", "src"), ("object", "data"), ("iframe", "src"), ("source", "src")}
FOLLOWED = {("a", "href"), ("area", "href")}
# Doxygen 1.9.4 names it at the head of a page whose nested classes are private.
MISSING = {"nested-classes"}
# Relations of <link> that load nothing.
TOLD = {"canonical", "index", "search", "next", "prev", "up", "author", "alternate"}


class Page(html.parser.HTMLParser):
    """The places in a page (ids and names), what it loads and where it links."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.places = set()
        self.loads = []
        self.links = []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.places.update(attributes[key] for key in ("id", "name") if attributes.get(key))
        if tag == "link" and attributes.get("rel") in TOLD:
            return
        for key, value in attributes.items():
            if value and (tag, key) in LOADED:
                self.loads.append(value)
            elif value and (tag, key) in FOLLOWED:
                self.links.append(value)


def check(site):
    pages = {file: Page(file.read_text(encoding="utf-8", errors="replace")) for file in site.rglob("*.html")}
    faults = []
    for file, page in pages.items():
        name = file.relative_to(site)
        for target in page.loads + page.links:
            url = urllib.parse.urlsplit(target)
            if url.scheme or url.netloc:
                if target in page.loads and url.scheme not in ("data", "javascript"):
                    faults.append(f"{name}: loads {target}")
                continue
            path = (file.parent / urllib.parse.unquote(url.path)).resolve() if url.path else file
            if path.is_dir():
                path = path / "index.html"
            place = urllib.parse.unquote(url.fragment)
            if not path.exists():
                faults.append(f"{name}: there is no {target}")
            elif place and path in pages and place not in pages[path].places | MISSING:
                faults.append(f"{name}: there is no place {target}")
    return pages, faults


def searched_pages(site):
    """The pages that Sphinx's index of words names."""
    names = re.search(r'"?docnames"?: *(\[[^\]]*\])', (site / "searchindex.js").read_text(encoding="utf-8"))
    return set(json.loads(names.group(1))) if names else set()


def main():
    site = pathlib.Path(sys.argv[1]).resolve()
    if not (site / "index.html").exists():
        raise SystemExit(f"{site}: there is no index.html")
    pages, faults = check(site)
    known = searched_pages(site)
    root = pathlib.Path(__file__).resolve().parents[2]
    folders = ("docs", "docs/robots", "docs/studies", "docs/tutorial")
    for page in (page for folder in folders for page in sorted((root / folder).glob("*.md"))):
        if page.relative_to(root).with_suffix("").as_posix() not in known:
            faults.append(f"the search does not know {page.relative_to(root)}")
    for reference in ("cpp/annotated.html", "cpp/search/searchdata.js", "search.html"):
        if not (site / reference).exists():
            faults.append(f"there is no {reference}")
    for fault in faults[:50]:
        print(fault)
    print(f"{len(pages)} pages, {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
