line = "x" * 1_000_000
for _ in range(1000):
    print(line)
