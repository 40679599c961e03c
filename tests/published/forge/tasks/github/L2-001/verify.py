#!/usr/bin/env python3
"""The issue about the door is closed with a comment; all else is as it was."""

import json
import os
import sys
import zlib
from pathlib import Path

STATE = Path(os.environ["FILESYSTEM_TEST_DIR"])


def document(name):
    return json.loads((STATE / name).read_text(encoding="utf-8"))


def head():
    """The commit that the default branch names, and the first line of its message."""
    git = STATE / "repo" / ".git"
    branch = (git / "HEAD").read_text().strip().removeprefix("ref: ")
    loose = git / branch
    if loose.exists():
        commit = loose.read_text().strip()
    else:
        lines = (git / "packed-refs").read_text().splitlines()
        commit = next(line.split()[0] for line in lines if line.endswith(f" {branch}"))
    data = zlib.decompress((git / "objects" / commit[:2] / commit[2:]).read_bytes())
    return commit, data.split(b"\n\n", 1)[1].decode().splitlines()[0]


def main():
    commit, message = head()
    print(f"at {commit[:7]}: {message}")
    issues = {issue["number"]: issue for issue in document("issues.json")}
    pulls = {pull["number"]: pull for pull in document("pulls.json")}
    checks = {
        "the issue is closed": issues[2]["state"] == "closed",
        "as not planned": issues[2].get("state_reason") == "not_planned",
        "with a comment": any("paint" in it["body"].lower() for it in issues[2].get("comments", [])),
        "the other issue is open": issues[1]["state"] == "open" and len(issues[1]["comments"]) == 1,
        "the pull request is open": list(pulls) == [3] and pulls[3]["state"] == "open",
        "nothing was committed": message == "Begin",
    }
    for name, passed in checks.items():
        print("✅" if passed else "❌", name)
    return all(checks.values())


if __name__ == "__main__":
    sys.exit(0 if main() else 1)
