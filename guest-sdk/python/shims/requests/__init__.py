"""Stands in for `requests`: a request goes to the service `http` of the world.

Request: `method`, `url`, `headers`, and `body`, a string or null. Answer: `status`,
`headers`, and `body`, a string. Bytes that are no UTF-8 stand in `base64`, too, which counts.
"""

import json as _json
from base64 import b64decode, b64encode
from http import HTTPStatus
from urllib.parse import urlencode

from mcpmark_script.gaps import StandIn, of_module
from mcpmark_script.services import ServiceError, call

from . import exceptions
from .exceptions import ConnectionError, HTTPError, JSONDecodeError, RequestException, Timeout

__version__ = "2.32.0"


class Response(StandIn):
    def __init__(self, url, status_code, headers, content):
        self.url = url
        self.status_code = status_code
        self.headers = _Headers(headers)
        self.content = content
        self.encoding = "utf-8"

    @property
    def text(self):
        return self.content.decode(self.encoding or "utf-8", "replace")

    @property
    def ok(self):
        return self.status_code < 400

    def __bool__(self):
        return self.ok

    def json(self, **kwargs):
        try:
            return _json.loads(self.text, **kwargs)
        except ValueError as error:
            raise JSONDecodeError(str(error), response=self) from None

    @property
    def reason(self):
        # What GitHub says of it; Python has the newer name.
        if self.status_code == 422:
            return "Unprocessable Entity"
        try:
            return HTTPStatus(self.status_code).phrase
        except ValueError:
            return ""

    def raise_for_status(self):
        if not self.ok:
            side = "Client" if self.status_code < 500 else "Server"
            said = f"{self.status_code} {side} Error: {self.reason} for url: {self.url}"
            raise HTTPError(said, response=self)

    def __repr__(self):
        return f"<Response [{self.status_code}]>"


class _Headers(dict):
    """A mapping whose keys have no case."""

    def __init__(self, items):
        super().__init__((name.lower(), value) for name, value in dict(items).items())

    def __getitem__(self, name):
        return super().__getitem__(name.lower())

    def __contains__(self, name):
        return super().__contains__(name.lower())

    def get(self, name, default=None):
        return super().get(name.lower(), default)


class Session(StandIn):
    def __init__(self):
        self.headers = {}
        self.auth = None

    def request(self, method, url, params=None, data=None, json=None, headers=None, auth=None,
                timeout=None, **_):
        headers = {**self.headers, **(headers or {})}
        if auth := auth or self.auth:
            token = b64encode(":".join(auth).encode()).decode()
            headers["Authorization"] = f"Basic {token}"
        if params:
            url += ("&" if "?" in url else "?") + urlencode(params, doseq=True)
        body = data
        if json is not None:
            body = _json.dumps(json)
            headers.setdefault("Content-Type", "application/json")
        elif isinstance(data, dict):
            body = urlencode(data, doseq=True)
        said = {"body": body}
        if isinstance(body, bytes):
            said = {"base64": b64encode(body).decode()}
        try:
            answer = call("http", method=method.upper(), url=url, headers=headers, **said)
        except ServiceError as error:
            raise ConnectionError(str(error)) from None
        content = b64decode(answer["base64"]) if "base64" in answer else answer["body"].encode()
        return Response(url, answer["status"], answer["headers"], content)

    def get(self, url, **kwargs):
        return self.request("GET", url, **kwargs)

    def head(self, url, **kwargs):
        return self.request("HEAD", url, **kwargs)

    def post(self, url, data=None, **kwargs):
        return self.request("POST", url, data=data, **kwargs)

    def put(self, url, data=None, **kwargs):
        return self.request("PUT", url, data=data, **kwargs)

    def patch(self, url, data=None, **kwargs):
        return self.request("PATCH", url, data=data, **kwargs)

    def delete(self, url, **kwargs):
        return self.request("DELETE", url, **kwargs)

    def close(self):
        pass

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def session():
    return Session()


def request(method, url, **kwargs):
    return Session().request(method, url, **kwargs)


def get(url, params=None, **kwargs):
    return request("GET", url, params=params, **kwargs)


def head(url, **kwargs):
    return request("HEAD", url, **kwargs)


def post(url, data=None, **kwargs):
    return request("POST", url, data=data, **kwargs)


def put(url, data=None, **kwargs):
    return request("PUT", url, data=data, **kwargs)


def patch(url, data=None, **kwargs):
    return request("PATCH", url, data=data, **kwargs)


def delete(url, **kwargs):
    return request("DELETE", url, **kwargs)


__getattr__ = of_module(__name__)
