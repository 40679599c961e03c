"""Stands in for `notion_client`: a request goes to the service `notion` of the world.

Request: `method`, `path` below `/v1/`, and `body`, an object or null. Answer: the object that
the published interface gives. A service's error is an error object of that interface.
"""

import json
from urllib.parse import urlencode

from mcpmark_script.gaps import StandIn, of_module
from mcpmark_script.services import ServiceError, call

from . import errors, helpers
from .errors import APIErrorCode, APIResponseError, HTTPResponseError, RequestTimeoutError


class _Part(StandIn):
    def __init__(self, client):
        self._client = client

    def _get(self, path, given=None, names=""):
        return self._client.request(path, "GET", query=_picked(given or {}, names))

    def _send(self, method, path, given, names):
        return self._client.request(path, method, body=_picked(given, names))


def _picked(given, names):
    """The arguments that the client sends, others without notice left out. A cursor that is None
    is that of a first page."""
    return {name: given[name] for name in names.split()
            if name in given and (given[name] is not None or name != "start_cursor")}


_PAGED = "start_cursor page_size"
# The kinds of blocks that can be changed, and what every block has.
_BLOCK = ("embed type archived in_trash bookmark image video pdf file audio code equation divider "
          "breadcrumb table_of_contents link_to_page table_row heading_1 heading_2 heading_3 "
          "paragraph bulleted_list_item numbered_list_item quote to_do toggle template callout "
          "synced_block table column")


class _Databases(_Part):
    def query(self, database_id, **given):
        return self._client.request(
            f"databases/{database_id}/query", "POST", query=_picked(given, "filter_properties"),
            body=_picked(given, f"filter sorts {_PAGED} archived in_trash"))

    def retrieve(self, database_id, **_):
        return self._get(f"databases/{database_id}")

    def create(self, **given):
        return self._send("POST", "databases", given,
                          "parent title description properties icon cover is_inline")

    def update(self, database_id, **given):
        return self._send("PATCH", f"databases/{database_id}", given,
                          "properties title description icon cover is_inline archived in_trash")


class _Properties(_Part):
    def retrieve(self, page_id, property_id, **given):
        return self._get(f"pages/{page_id}/properties/{property_id}", given, _PAGED)


class _Pages(_Part):
    def __init__(self, client):
        super().__init__(client)
        self.properties = _Properties(client)

    def retrieve(self, page_id, **given):
        return self._get(f"pages/{page_id}", given, "filter_properties")

    def create(self, **given):
        return self._send("POST", "pages", given, "parent properties children icon cover")

    def update(self, page_id, **given):
        return self._send("PATCH", f"pages/{page_id}", given,
                          "in_trash archived properties icon cover")


class _Children(_Part):
    def list(self, block_id, **given):
        return self._get(f"blocks/{block_id}/children", given, _PAGED)

    def append(self, block_id, **given):
        return self._send("PATCH", f"blocks/{block_id}/children", given, "children after")


class _Blocks(_Part):
    def __init__(self, client):
        super().__init__(client)
        self.children = _Children(client)

    def retrieve(self, block_id, **_):
        return self._get(f"blocks/{block_id}")

    def update(self, block_id, **given):
        return self._send("PATCH", f"blocks/{block_id}", given, _BLOCK)

    def delete(self, block_id, **_):
        return self._client.request(f"blocks/{block_id}", "DELETE")


class _Users(_Part):
    def list(self, **given):
        return self._get("users", given, _PAGED)

    def retrieve(self, user_id, **_):
        return self._get(f"users/{user_id}")

    def me(self, **_):
        return self._get("users/me")


class _Comments(_Part):
    def list(self, **given):
        return self._get("comments", given, f"block_id {_PAGED}")

    def create(self, **given):
        return self._send("POST", "comments", given, "parent discussion_id rich_text")


class Client(StandIn):
    def __init__(self, options=None, auth=None, **_):
        self.databases = _Databases(self)
        self.pages = _Pages(self)
        self.blocks = _Blocks(self)
        self.users = _Users(self)
        self.comments = _Comments(self)

    def search(self, **given):
        body = _picked(given, f"query sort filter {_PAGED}")
        return self.request("search", "POST", body=body)

    def request(self, path, method, query=None, body=None, auth=None):
        if query:
            path += "?" + urlencode(query, doseq=True)
        try:
            return call("notion", method=method, path=path, body=body)
        except ServiceError as error:
            said = json.loads(str(error))
            raise APIResponseError(said["message"], said["code"], said["status"]) from None


__getattr__ = of_module(__name__)
