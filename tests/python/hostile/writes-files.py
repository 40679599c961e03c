import os

refused = 0
for attempt in [
    lambda: open("/state/new", "w"),
    lambda: open("/state/a.txt", "w"),
    lambda: open("/state/a.txt", "r+"),
    lambda: open("/state/a.txt", "a"),
    lambda: os.mkdir("/state/d"),
    lambda: os.remove("/state/a.txt"),
    lambda: os.rename("/state/a.txt", "/state/b.txt"),
    lambda: os.symlink("/etc", "/state/link"),
    lambda: os.link("/state/a.txt", "/state/b.txt"),
    lambda: os.truncate("/state/a.txt", 0),
    lambda: os.utime("/state/a.txt", (0, 0)),
    lambda: os.rmdir("/state"),
    lambda: open("/new", "w"),
]:
    try:
        attempt()
    except OSError as error:
        refused += 1
print(refused, open("/state/a.txt").read(), os.listdir("/state"))
raise SystemExit(0 if refused == 13 else 1)
