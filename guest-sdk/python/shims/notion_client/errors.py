"""The errors of `notion_client`."""

from mcpmark_script.gaps import of_module


class HTTPResponseError(Exception):
    pass


class APIResponseError(HTTPResponseError):
    def __init__(self, message, code="", status=0):
        super().__init__(message)
        self.code = code
        self.status = status


class RequestTimeoutError(Exception):
    pass


__getattr__ = of_module(__name__)
