"""Checks the blocks of a page: their order, styles, mentions and columns."""

import sys

from tasks.utils import notion_utils


def verify(notion, main_id):
    if not notion_utils.find_page_by_id(notion, main_id):
        print("Error: the page is missing.", file=sys.stderr)
        return False
    meeting = notion_utils.find_page(notion, "Autumn meeting")
    if not meeting:
        print("Error: the page 'Autumn meeting' is missing.", file=sys.stderr)
        return False
    parent = notion_utils.get_page_by_id(notion, meeting)["parent"]
    if parent != {"type": "page_id", "page_id": main_id}:
        print(f"✗ the meeting is not below the page of the club, but {parent['type']}")
        return False

    blocks = notion_utils.get_all_blocks_recursively(notion, meeting)
    for block in blocks:
        text = notion_utils.get_block_plain_text(block)
        print(f"{block['type']}: {text}" if text else block["type"])
    callout = next(block["callout"] for block in blocks if block["type"] == "callout")
    if callout["icon"] != {"type": "emoji", "emoji": "🍂"} or callout["color"] != "brown_background":
        print(f"✗ callout with {callout['icon']} and {callout['color']}")
        return False
    widths = [block["column"].get("width_ratio") for block in blocks if block["type"] == "column"]
    print("widths:", widths)
    if widths != [0.25, 0.75]:
        return False
    dates = [
        (piece["mention"]["date"]["start"], piece["annotations"]["bold"])
        for block in blocks if block["type"] == "paragraph"
        for piece in block["paragraph"]["rich_text"]
        if piece["type"] == "mention" and piece["mention"]["type"] == "date"
    ]
    print("dates:", dates)
    undone = [notion_utils.get_block_plain_text(block) for block in blocks
              if block["type"] == "to_do" and not block["to_do"]["checked"]]
    print("undone:", undone)
    return dates == [("2025-10-04", True)] and not undone


def main():
    notion = notion_utils.get_notion_client()
    if verify(notion, sys.argv[1] if len(sys.argv) > 1 else None):
        print("✓ the meeting is prepared")
        sys.exit(0)
    sys.exit(1)


main()
