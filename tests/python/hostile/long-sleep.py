import time

start = time.monotonic()
time.sleep(600)
waited = time.monotonic() - start
print(f"waited {waited:.0f} s")
raise SystemExit(0 if 600 <= waited < 601 else 1)
