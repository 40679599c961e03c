"""What the published Notion verifiers share, written anew over `notion_client`.

Whoever looks for something that is not there gets `None`, as nobody has to have made it.
"""

import os
import sys

from notion_client import Client
from notion_client.errors import APIResponseError, HTTPResponseError


def get_notion_client():
    key = os.environ.get("EVAL_NOTION_API_KEY")
    if not key:
        print("EVAL_NOTION_API_KEY is not set", file=sys.stderr)
        sys.exit(1)
    return Client(auth=key)


def find_page(notion, page_title):
    """The id of the page of that title, or else of one whose title holds it."""
    return _find(notion, "page", page_title)


def find_database(notion, db_title):
    """The id of the database of that title, or else of one whose title holds it."""
    return _find(notion, "database", db_title)


def find_page_or_database_by_id(notion, object_id):
    """The id and `"page"` or `"database"`; `None` twice where it names nothing."""
    for kind, retrieve in (("page", notion.pages.retrieve), ("database", notion.databases.retrieve)):
        try:
            retrieve(object_id)
            return object_id, kind
        except (APIResponseError, HTTPResponseError):
            pass
    return None, None


def find_database_in_block(notion, block_id, db_title):
    """The id of the first database of that title in a block and in all that it holds."""
    for block in get_all_blocks_recursively(notion, block_id):
        if block.get("type") == "child_database" \
                and db_title in block.get("child_database", {}).get("title", ""):
            return block["id"]
    return None


def get_all_blocks_recursively(notion, block_id):
    """All blocks in a block, each before those that it holds.

    What lies in pages and databases is not part of the page on which they stand.
    """
    blocks = []
    try:
        children = notion.blocks.children.list(block_id=block_id).get("results", [])
    except (APIResponseError, HTTPResponseError):
        return blocks
    for block in children:
        blocks.append(block)
        if block.get("has_children") and block.get("type") not in ("child_page", "child_database"):
            blocks.extend(get_all_blocks_recursively(notion, block["id"]))
    return blocks


def get_block_plain_text(block):
    """The text of a block, without its marks."""
    kind = block.get("type")
    texts = (block.get(kind) or {}).get("rich_text", []) if kind else []
    return "".join(text.get("plain_text", "") for text in texts)


def _find(notion, kind, title):
    try:
        answer = notion.search(query=title, filter={"property": "object", "value": kind})
    except (APIResponseError, HTTPResponseError):
        return None
    titles = [(found["id"], _title(found)) for found in answer.get("results", [])]
    for fits in (title.__eq__, lambda own: title in own):
        for found, own in titles:
            if fits(own):
                return found
    return None


def _title(found):
    if found.get("object") == "database":
        texts = found.get("title", [])
    else:
        properties = found.get("properties", {}).values()
        texts = next((it.get("title", []) for it in properties if it.get("type") == "title"), [])
    return "".join(text.get("plain_text", "") for text in texts)
