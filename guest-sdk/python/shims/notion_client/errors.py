"""The errors of `notion_client`."""


class HTTPResponseError(Exception):
    pass


class APIResponseError(HTTPResponseError):
    def __init__(self, message, code="", status=0):
        super().__init__(message)
        self.code = code
        self.status = status


class RequestTimeoutError(Exception):
    pass
