"""What stands where the library has `ssl`.

Without such a module the library forgets that there is `https`, and calls it an unknown type of
address. With it, whoever begins to speak TLS is stopped as one who opens a socket is.
"""

import sys
import types

from mcpmark_script import gaps

_NETWORK = "wants the network (ssl.{}), which no verifier has"


class SSLError(OSError):
    """Only named here, and never raised."""


class SSLZeroReturnError(SSLError):
    pass


class SSLWantReadError(SSLError):
    pass


class SSLWantWriteError(SSLError):
    pass


class SSLSyscallError(SSLError):
    pass


class SSLEOFError(SSLError):
    pass


class SSLCertVerificationError(SSLError, ValueError):
    pass


def install():
    """Puts it where `import ssl` finds it; before the library is imported."""
    module = types.ModuleType("ssl")
    own = (SSLError, SSLZeroReturnError, SSLWantReadError, SSLWantWriteError, SSLSyscallError,
           SSLEOFError, SSLCertVerificationError)
    for error in own:
        error.__module__ = "ssl"
        setattr(module, error.__name__, error)
    module.CertificateError = SSLCertVerificationError
    for name in ("SSLContext", "SSLObject", "SSLSocket"):
        setattr(module, name, type(name, (), {"__init__": gaps.stopping(_NETWORK.format(name))}))

    def wanted(name):
        if name.startswith("__"):
            raise AttributeError(f"module 'ssl' has no attribute {name!r}")
        gaps.stop(_NETWORK.format(name))

    module.__getattr__ = wanted
    sys.modules["ssl"] = module
