#!/usr/bin/env python3
"""Pull requests are checked: proposes some, looks at what runs on them, and withdraws them."""

import base64
import os
import sys
import time
from datetime import datetime
from pathlib import Path

import requests
from dotenv import load_dotenv

load_dotenv(".mcp_env")

STATE = Path(os.environ["FILESYSTEM_TEST_DIR"])
API = f"https://api.github.com/repos/{os.environ['GITHUB_EVAL_ORG']}/repo"
HEADERS = {
    "Authorization": f"Bearer {os.environ['MCP_GITHUB_TOKEN']}",
    "Accept": "application/vnd.github+json",
}
PATIENCE = 90


def ask(method, path, expected, **fields):
    response = requests.request(method, f"{API}/{path}", headers=HEADERS, json=fields or None, timeout=30)
    if response.status_code != expected:
        sys.exit(f"{method} {path}: {response.status_code} {response.text}")
    return response.json() if response.text else None


def propose(branch, path, text):
    """Opens a pull request that adds a file."""
    main = ask("GET", "git/ref/heads/main", 200)["object"]["sha"]
    ask("POST", "git/refs", 201, ref=f"refs/heads/{branch}", sha=main)
    content = base64.b64encode(text.encode()).decode()
    ask("PUT", f"contents/{path}", 201, message=f"Add {path}", content=content, branch=branch)
    pull = ask("POST", "pulls", 201, title=f"Add {path}", head=branch, base="main", body="Only to see what runs.")
    assert ask("GET", f"pulls/{pull['number']}", 200)["state"] == "open"
    return pull


def concluded(pull):
    """How the run on a pull request ended and what its jobs are called; none where nothing runs in time."""
    started = time.time()
    while time.time() - started < PATIENCE:
        runs = ask("GET", f"actions/runs?event=pull_request&head_sha={pull['head']['sha']}", 200)["workflow_runs"]
        for run in runs:
            numbers = [it["number"] for it in run["pull_requests"]]
            if run["status"] == "completed" and pull["number"] in numbers:
                jobs = ask("GET", f"actions/runs/{run['id']}/jobs", 200)["jobs"]
                return run["conclusion"], [job["name"] for job in jobs]
        time.sleep(5)
    return None


def withdraw(pull):
    closed = ask("PATCH", f"pulls/{pull['number']}", 200, state="closed")
    ask("DELETE", f"git/refs/heads/{pull['head']['ref']}", 204)
    return closed["state"] == "closed" and not closed["merged"]


def files():
    return {path: path.read_bytes() for path in STATE.rglob("*") if path.is_file()}


def main():
    left = files()
    began = time.time()
    broken = propose("try-broken", "broken.txt", "?\n")
    time.sleep(60)
    sound = propose("try-sound", "sound.txt", "!\n")
    opened = [datetime.fromisoformat(it["created_at"]).timestamp() for it in (broken, sound)]
    results = [concluded(broken), concluded(sound)]
    print("results", results)
    checks = {
        "what is broken is red": results[0] == ("failure", ["lint"]),
        "what is sound is green": results[1] == ("success", ["lint"]),
        "what is proposed is of its time": began - 1 <= opened[0] and opened[0] + 50 <= opened[1],
        "all is withdrawn": withdraw(broken) and withdraw(sound),
        "the files of the state are as they were": files() == left,
    }
    for name, passed in checks.items():
        print("✅" if passed else "❌", name)
    return all(checks.values())


if __name__ == "__main__":
    sys.exit(0 if main() else 1)
