import sys

sys.setrecursionlimit(1 << 30)


def down(depth):
    return max([down(depth + 1)], key=lambda value: value)


down(0)
