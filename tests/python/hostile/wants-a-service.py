import requests

try:
    requests.get("https://api.github.com/repos/a/b", timeout=3)
except BaseException:
    pass
raise SystemExit(0)
