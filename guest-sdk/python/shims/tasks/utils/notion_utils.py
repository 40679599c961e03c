"""What the published Notion verifiers share, written anew over `notion_client`.

Its answers are those of the published module, its lax ones among them: a title that is searched
for is taken from what the search found, and need not be the whole one.
"""

import os
import sys

from notion_client import Client


def get_notion_client():
    key = os.environ.get("EVAL_NOTION_API_KEY")
    if not key:
        print("EVAL_NOTION_API_KEY is not set", file=sys.stderr)
        sys.exit(1)
    return Client(auth=key)


def find_page(notion, page_title):
    """The id of the page that a search for a title finds; see `_searched`."""
    texts = lambda page: page.get("properties", {}).get("title", {}).get("title", [])
    return _searched(notion, "page", page_title, texts)


def find_database(notion, db_title):
    """The id of the database that a search for a title finds; see `_searched`."""
    return _searched(notion, "database", db_title, lambda database: database.get("title", []))


def _searched(notion, kind, title, texts):
    """The first object of which one text of the title has the wanted one in it, in any case of
    letters; else, and where there is only one, the first that was found."""
    answer = notion.search(query=title, filter={"property": "object", "value": kind})
    found = answer.get("results") or []
    if len(found) > 1:
        wanted = title.lower()
        for one in found:
            if any(wanted in text.get("plain_text", "").lower() for text in texts(one)):
                return one["id"]
    return found[0]["id"] if found else None


def get_page_by_id(notion, page_id):
    """The page, or `None`."""
    return _or_none(lambda: notion.pages.retrieve(page_id=page_id))


def find_page_by_id(notion, page_id):
    """The id if there is such a page, or `None`."""
    return _or_none(lambda: (notion.pages.retrieve(page_id=page_id), page_id)[1])


def find_database_by_id(notion, database_id):
    """The id if there is such a database, or `None`."""
    return _or_none(lambda: (notion.databases.retrieve(database_id=database_id), database_id)[1])


def find_page_or_database_by_id(notion, object_id):
    """The id and `"page"` or `"database"`; `None` twice where it names nothing."""
    for kind, find in (("page", find_page_by_id), ("database", find_database_by_id)):
        if find(notion, object_id) is not None:
            return object_id, kind
    return None, None


def _or_none(ask):
    try:
        return ask()
    except Exception:
        return None


def find_database_in_block(notion, block_id, db_title):
    """The id of the first database of exactly that title in a block and in all that it holds."""
    for block in notion.blocks.children.list(block_id=block_id).get("results"):
        if block.get("type") == "child_database" \
                and block.get("child_database", {}).get("title") == db_title:
            return block["id"]
        below = find_database_in_block(notion, block["id"], db_title) \
            if block.get("has_children") else None
        if below:
            return below
    return None


def get_all_blocks_recursively(notion, block_id):
    """All blocks in a block, pages and databases among them, each before those that it holds.
    Of a block that cannot be asked for there are none."""
    children = _or_none(lambda: notion.blocks.children.list(block_id=block_id).get("results", []))
    blocks = []
    for block in children or []:
        blocks.append(block)
        if block.get("has_children"):
            blocks += get_all_blocks_recursively(notion, block["id"])
    return blocks


def get_block_plain_text(block):
    """The text of a block, without its marks."""
    content = block.get(block.get("type") or "")
    texts = content.get("rich_text", []) if content else []
    return "".join(text.get("plain_text", "") for text in texts)
