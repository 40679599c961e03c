import os

kept = []
while True:
    entries = os.scandir("/state/many")
    next(entries)
    kept.append(entries)
