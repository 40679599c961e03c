"""The errors of `requests`."""

from mcpmark_script.gaps import of_module


class RequestException(IOError):
    def __init__(self, *args, request=None, response=None):
        super().__init__(*args)
        self.request = request
        self.response = response


class ConnectionError(RequestException):
    pass


class HTTPError(RequestException):
    pass


class Timeout(RequestException):
    pass


class JSONDecodeError(RequestException, ValueError):
    pass


__getattr__ = of_module(__name__)
