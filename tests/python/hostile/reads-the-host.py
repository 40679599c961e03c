import os

seen = []
for path in ["/etc/passwd", "/state/../../etc/passwd", "/proc/self/environ", "../../../etc/passwd", "/state/out"]:
    try:
        seen.append(open(path).read())
    except OSError:
        pass
print(seen, sorted(os.listdir("/")), sorted(os.environ))
raise SystemExit(1 if seen else 0)
