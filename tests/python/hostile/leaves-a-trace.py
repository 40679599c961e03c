import builtins
import sys

if hasattr(builtins, "trace") or "trace" in sys.modules["json"].__dict__:
    raise SystemExit("somebody was here")
builtins.trace = sys.modules["json"].trace = True
