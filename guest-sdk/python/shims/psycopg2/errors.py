"""The errors of `psycopg2`; those of a class of SQLSTATE are made when they are asked for."""

import json

from mcpmark_script.gaps import of_module


class Warning(Exception):
    pass


class Error(Exception):
    pgcode = None
    pgerror = None
    cursor = None

    @property
    def diag(self):
        return Diagnostics(getattr(self, "_diag", None) or {})


class Diagnostics:
    """The parts of an error."""

    def __init__(self, parts):
        self._parts = parts

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return self._parts.get(name)


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


class QueryCanceledError(OperationalError):
    pass


class TransactionRollbackError(OperationalError):
    pass


# By the first characters of an SQLSTATE.
_CODES = {
    "08": OperationalError,
    "0A": NotSupportedError,
    "20": ProgrammingError,
    "21": ProgrammingError,
    "22": DataError,
    "23": IntegrityError,
    "24": InternalError,
    "25": InternalError,
    "26": OperationalError,
    "27": OperationalError,
    "28": OperationalError,
    "2": InternalError,
    "34": OperationalError,
    "38": InternalError,
    "39": InternalError,
    "3B": InternalError,
    "3": ProgrammingError,
    "40": TransactionRollbackError,
    "42": ProgrammingError,
    "44": ProgrammingError,
    "57014": QueryCanceledError,
    "5": OperationalError,
    "F": InternalError,
    "H": OperationalError,
    "P": InternalError,
    "X": InternalError,
}
_NAMES = {
    "0A000": "FeatureNotSupported",
    "22001": "StringDataRightTruncation",
    "22003": "NumericValueOutOfRange",
    "22004": "NullValueNotAllowed",
    "22007": "InvalidDatetimeFormat",
    "22008": "DatetimeFieldOverflow",
    "22012": "DivisionByZero",
    "22023": "InvalidParameterValue",
    "22P02": "InvalidTextRepresentation",
    "23000": "IntegrityConstraintViolation",
    "23001": "RestrictViolation",
    "23502": "NotNullViolation",
    "23503": "ForeignKeyViolation",
    "23505": "UniqueViolation",
    "23514": "CheckViolation",
    "23P01": "ExclusionViolation",
    "25001": "ActiveSqlTransaction",
    "25006": "ReadOnlySqlTransaction",
    "25P02": "InFailedSqlTransaction",
    "28000": "InvalidAuthorizationSpecification",
    "28P01": "InvalidPassword",
    "2BP01": "DependentObjectsStillExist",
    "3D000": "InvalidCatalogName",
    "3F000": "InvalidSchemaName",
    "40001": "SerializationFailure",
    "40P01": "DeadlockDetected",
    "42501": "InsufficientPrivilege",
    "42601": "SyntaxError",
    "42701": "DuplicateColumn",
    "42702": "AmbiguousColumn",
    "42703": "UndefinedColumn",
    "42704": "UndefinedObject",
    "42710": "DuplicateObject",
    "42723": "DuplicateFunction",
    "42725": "AmbiguousFunction",
    "42803": "GroupingError",
    "42804": "DatatypeMismatch",
    "42809": "WrongObjectType",
    "42846": "CannotCoerce",
    "42883": "UndefinedFunction",
    "42P01": "UndefinedTable",
    "42P06": "DuplicateSchema",
    "42P07": "DuplicateTable",
    "42P16": "InvalidTableDefinition",
    "44000": "WithCheckOptionViolation",
    "54001": "StatementTooComplex",
    "55000": "ObjectNotInPrerequisiteState",
    "55006": "ObjectInUse",
    "55P03": "LockNotAvailable",
    "57014": "QueryCanceled",
    "57P01": "AdminShutdown",
    "P0001": "RaiseException",
    "P0002": "NoDataFound",
    "P0003": "TooManyRows",
    "P0004": "AssertFailure",
}
# Exceptions without an SQLSTATE.
_KINDS = {
    "IndexError": IndexError,
    "KeyError": KeyError,
    "OperationalError": OperationalError,
    "TypeError": TypeError,
    "ValueError": ValueError,
}


def _base(code):
    for length in (5, 2, 1):
        if code[:length] in _CODES:
            return _CODES[code[:length]]
    return DatabaseError


for _code, _name in _NAMES.items():
    globals()[_name] = type(_name, (_base(_code),), {"__module__": __name__})


def lookup(code):
    return globals().get(_NAMES.get(code, ""), _base(code))


def from_service(text):
    """The exception for what the service says."""
    said = json.loads(text)
    if kind := _KINDS.get(said.get("kind")):
        return kind(said["message"])
    error = lookup(said["code"])(said["message"])
    error.pgcode = said["code"]
    error.pgerror = "ERROR:  " + said["message"]
    error._diag = said.get("diag")
    return error


__getattr__ = of_module(__name__)
