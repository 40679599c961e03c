"""What the published Notion verifiers share, written anew over `notion_client`."""

import os
import sys

from notion_client import Client


def get_notion_client():
    key = os.environ.get("EVAL_NOTION_API_KEY")
    if not key:
        print("EVAL_NOTION_API_KEY is not set", file=sys.stderr)
        sys.exit(1)
    return Client(auth=key)
