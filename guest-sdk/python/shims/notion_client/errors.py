"""The errors of `notion_client`."""

from enum import Enum

from mcpmark_script.gaps import of_module


class APIErrorCode(str, Enum):
    Unauthorized = "unauthorized"
    RestrictedResource = "restricted_resource"
    ObjectNotFound = "object_not_found"
    RateLimited = "rate_limited"
    InvalidJSON = "invalid_json"
    InvalidRequestURL = "invalid_request_url"
    InvalidRequest = "invalid_request"
    ValidationError = "validation_error"
    ConflictError = "conflict_error"
    InternalServerError = "internal_server_error"
    ServiceUnavailable = "service_unavailable"


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
