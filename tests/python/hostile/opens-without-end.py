kept = []
while True:
    kept.append(open("/state/a.txt"))
