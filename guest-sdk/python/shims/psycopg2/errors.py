"""The errors of `psycopg2`; those of a class of SQLSTATE are made when they are asked for."""

import json

from mcpmark_script.gaps import of_module


class Warning(Exception):
    pass


class Error(Exception):
    pgcode = None
    pgerror = None


class InterfaceError(Error):
    pass


class DatabaseError(Error):
    pass


class DataError(DatabaseError):
    pass


class OperationalError(DatabaseError):
    pass


class IntegrityError(DatabaseError):
    pass


class InternalError(DatabaseError):
    pass


class ProgrammingError(DatabaseError):
    pass


class NotSupportedError(DatabaseError):
    pass


# By the SQLSTATE itself, or by its first two characters.
_CODES = {
    "08": OperationalError,
    "0A": NotSupportedError,
    "22": DataError,
    "23": IntegrityError,
    "25": InternalError,
    "28": OperationalError,
    "42": ProgrammingError,
    "53": OperationalError,
    "57": OperationalError,
}
_NAMES = {
    "22P02": "InvalidTextRepresentation",
    "23502": "NotNullViolation",
    "23503": "ForeignKeyViolation",
    "23505": "UniqueViolation",
    "23514": "CheckViolation",
    "42501": "InsufficientPrivilege",
    "42601": "SyntaxError",
    "42703": "UndefinedColumn",
    "42883": "UndefinedFunction",
    "42P01": "UndefinedTable",
    "P0001": "RaiseException",
}


def _base(code):
    return _CODES.get(code[:2], InternalError)


for _code, _name in _NAMES.items():
    globals()[_name] = type(_name, (_base(_code),), {"__module__": __name__})


def lookup(code):
    return globals().get(_NAMES.get(code, ""), _base(code))


def from_service(text):
    """The exception for what the service says."""
    said = json.loads(text)
    error = lookup(said["code"])(said["message"])
    error.pgcode = said["code"]
    error.pgerror = said["message"]
    return error


__getattr__ = of_module(__name__)
