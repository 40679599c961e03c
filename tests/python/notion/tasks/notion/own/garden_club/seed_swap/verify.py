"""Checks the list of a seed swap: its schema, its rows and its relations."""

import sys

from notion_client import APIResponseError
from tasks.utils import notion_utils

SCHEMA = {"Variety": "title", "Kind": "select", "Packets": "number", "Swapped": "checkbox", "Sown": "date"}


def verify(notion, main_id):
    page_id, kind = notion_utils.find_page_or_database_by_id(notion, main_id)
    if kind != "page":
        print(f"Error: {main_id} is not a page.", file=sys.stderr)
        return False
    database_id = notion_utils.find_database_in_block(notion, page_id, "Seed swap")
    if not database_id:
        print("Error: the database 'Seed swap' is missing.", file=sys.stderr)
        return False
    properties = notion.databases.retrieve(database_id=database_id)["properties"]
    for name, wanted in SCHEMA.items():
        found = properties.get(name, {}).get("type")
        if found != wanted:
            print(f"✗ {name} has the type {found}, not {wanted}")
            return False
    print("✓ the schema is complete")

    beans = notion.databases.query(
        database_id=database_id,
        filter={
            "and": [
                {"property": "Kind", "select": {"equals": "Bean"}},
                {"or": [
                    {"property": "Packets", "number": {"greater_than": 2}},
                    {"property": "Swapped", "checkbox": {"equals": True}},
                ]},
            ]
        },
        sorts=[{"property": "Packets", "direction": "descending"}],
        archived=False,
    )["results"]
    for row in beans:
        values = row["properties"]
        title = "".join(text["plain_text"] for text in values["Variety"]["title"])
        sown = (values["Sown"]["date"] or {}).get("start")
        print(f"{title}: {values['Packets']['number']} packets, sown {sown}")
    if [row["properties"]["Packets"]["number"] for row in beans] != [7, 3, 1]:
        print(f"✗ {len(beans)} rows of beans")
        return False

    verified = [row["properties"]["Verification"]["verification"] for row in beans]
    for verification in verified:
        by = (verification["verified_by"] or {}).get("name")
        print(f"{verification['state']} by {by}, {verification['date']}")

    kinds = [row["properties"]["Kind"]["select"]["name"]
             for row in notion.databases.query(database_id=database_id)["results"]]
    print("kinds:", ", ".join(kinds))
    try:
        notion.pages.retrieve(page_id=database_id)
    except APIResponseError as error:
        print(f"✓ the database is no page: {error.code}, {error.status}")
    try:
        notion.databases.query(database_id=database_id, filter={"property": "Weight", "number": {"equals": 1}})
    except Exception as error:
        print(f"✓ {error}")
    return True


if __name__ == "__main__":
    client = notion_utils.get_notion_client()
    sys.exit(0 if verify(client, sys.argv[1]) else 1)
