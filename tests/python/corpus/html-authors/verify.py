from html.parser import HTMLParser
import os
import sys
from pathlib import Path

ROOT = Path(os.environ["FILESYSTEM_TEST_DIR"])


class Authors(HTMLParser):
    def __init__(self):
        super().__init__()
        self.names = []
        self.title = ""
        self.inside = None

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        if tag == "meta" and attrs.get("name") == "citation_author":
            self.names.append(attrs.get("content", ""))
        self.inside = tag

    def handle_endtag(self, tag):
        self.inside = None

    def handle_data(self, data):
        if self.inside == "title":
            self.title += data


def folders():
    ok = True
    for path in sorted(ROOT.glob("*.html")):
        parser = Authors()
        parser.feed(path.read_text(encoding="utf-8"))
        print(f"{path.name}: {parser.title.strip()!r} by {parser.names}")
        for name in parser.names:
            folder = ROOT / name.lower().replace(" ", "_").replace(",", "")
            good = (folder / path.name).is_file()
            print(f"{'✅' if good else '❌'} {folder.name} has {path.name}")
            ok = ok and good
    return ok


CHECKS = [folders]


def main():
    results = [check() for check in CHECKS]
    if all(results):
        print("🎉 all checks passed")
        sys.exit(0)
    print("💥 some checks failed")
    sys.exit(1)


if __name__ == "__main__":
    main()
