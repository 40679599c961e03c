"""Stands in for `notion_client`: a request goes to the service `notion` of the world.

Request: `method`, `path` below `/v1/`, and `body`, an object or null. Answer: the object that
the published interface gives. A service's error is an error object of that interface.
"""

import json
from urllib.parse import urlencode

from mcpmark_script.gaps import StandIn, of_module
from mcpmark_script.services import ServiceError, call

from . import errors
from .errors import APIResponseError, HTTPResponseError, RequestTimeoutError


class _Part(StandIn):
    def __init__(self, client):
        self._client = client

    def _get(self, path, query):
        query = urlencode({name: value for name, value in query.items() if value is not None})
        return self._client.request(path + (f"?{query}" if query else ""), "GET")


class _Databases(_Part):
    def query(self, database_id, **body):
        return self._client.request(f"databases/{database_id}/query", "POST", body=body)

    def retrieve(self, database_id, **_):
        return self._get(f"databases/{database_id}", {})


class _Pages(_Part):
    def retrieve(self, page_id, **_):
        return self._get(f"pages/{page_id}", {})


class _Children(_Part):
    def list(self, block_id, **query):
        return self._get(f"blocks/{block_id}/children", query)


class _Blocks(_Part):
    def __init__(self, client):
        super().__init__(client)
        self.children = _Children(client)

    def retrieve(self, block_id, **_):
        return self._get(f"blocks/{block_id}", {})


class _Users(_Part):
    def list(self, **query):
        return self._get("users", query)

    def retrieve(self, user_id, **_):
        return self._get(f"users/{user_id}", {})


class Client(StandIn):
    def __init__(self, options=None, auth=None, **_):
        self.databases = _Databases(self)
        self.pages = _Pages(self)
        self.blocks = _Blocks(self)
        self.users = _Users(self)

    def search(self, **body):
        return self.request("search", "POST", body=body)

    def request(self, path, method, query=None, body=None, auth=None):
        if query:
            path += "?" + urlencode(query)
        try:
            return call("notion", method=method, path=path, body=body)
        except ServiceError as error:
            said = json.loads(str(error))
            raise APIResponseError(said["message"], said["code"], said["status"]) from None


__getattr__ = of_module(__name__)
