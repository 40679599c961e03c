"""Asks `notion_utils` about a small workspace that lies in this script."""

from tasks.utils import notion_utils


def texts(*parts):
    return [{"plain_text": part} for part in parts]


def page(id, *title, key="title"):
    return {"object": "page", "id": id, "properties": {key: {"type": "title", "title": texts(*title)}}}


def database(id, *title):
    return {"object": "database", "id": id, "title": texts(*title)}


def block(id, kind, has_children=False, **content):
    return {"id": id, "type": kind, "has_children": has_children, kind: content}


FOUND = {
    "one": [page("p1", "Nothing of the kind")],
    "two": [page("p1", "Other"), page("p2", "The TWO of us"), page("p3", "two")],
    "split": [page("p1", "sp", "lit"), page("p2", "x"), page("p3", "a split")],
    "named": [page("p1", "named", key="Name"), page("p2", "other")],
    "none fits": [page("p1", "a"), page("p2", "b")],
    "base": [database("d1", "Data"), database("d2", "DATABASE"), database("d3", "base")],
}
CHILDREN = {
    "root": [
        block("b1", "paragraph", rich_text=texts("plain ", "text")),
        block("b2", "toggle", True, rich_text=texts("held")),
        block("b3", "child_page", True, title="Below"),
        block("b4", "child_database", True, title="Projects and more"),
        block("b5", "gone", True),
    ],
    "b2": [block("c1", "child_database", True, title="projects"), block("c2", "divider")],
    "b3": [block("c3", "child_database", False, title="Projects"), block("c4", "callout", rich_text=[])],
    "b4": [block("c5", "heading_1", rich_text=texts("in a database"))],
    "c1": [block("e1", "child_database", False, title="Deep")],
    "lone": [block("l1", "child_page", True, title="L"), block("l2", "child_database", False)],
    "l1": [block("m1", "child_database", True, title="M")],
    "m1": [block("m2", "child_database", False, title="N")],
}


class Retrieve:
    def __init__(self, known):
        self.known = known

    def retrieve(self, page_id=None, database_id=None):
        return {"id": (page_id or database_id), "object": self.known[page_id or database_id]}


class Children:
    def list(self, block_id):
        return {"results": CHILDREN[block_id]}


class Workspace:
    pages = Retrieve({"p1": "page", "both": "page"})
    databases = Retrieve({"d1": "database", "both": "database"})

    class blocks:
        children = Children()

    def search(self, query, filter):
        assert filter["property"] == "object", filter
        found = FOUND.get(query.lower())
        return {"results": found} if found or query else {}


def told(ask, *arguments):
    try:
        answer = ask(workspace, *arguments)
    except Exception as error:
        answer = type(error).__name__
    print(f"{ask.__name__}{arguments}: {answer}")


workspace = Workspace()
for title in ("one", "two", "TWO", "split", "named", "none fits", "nothing", ""):
    told(notion_utils.find_page, title)
for title in ("base", "BASE", "nothing"):
    told(notion_utils.find_database, title)
for id in ("p1", "d1", "both", "none"):
    told(notion_utils.get_page_by_id, id)
    told(notion_utils.find_page_by_id, id)
    told(notion_utils.find_database_by_id, id)
    told(notion_utils.find_page_or_database_by_id, id)
for title in ("Projects", "projects", "Deep", "PROJECTS"):
    told(notion_utils.find_database_in_block, "root", title)
for title in ("L", "M", "N", "none"):
    told(notion_utils.find_database_in_block, "lone", title)
for id in ("root", "b2", "lone", "nowhere"):
    blocks = notion_utils.get_all_blocks_recursively(workspace, id)
    print(id, [(each["id"], notion_utils.get_block_plain_text(each)) for each in blocks])
for odd in ({}, {"type": None}, {"type": "x"}, {"type": "x", "x": {}}, {"type": "x", "x": {"rich_text": [{}]}}):
    print(odd, repr(notion_utils.get_block_plain_text(odd)))
