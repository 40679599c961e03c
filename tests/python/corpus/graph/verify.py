import bisect
import graphlib
import heapq
import os
import sys
from pathlib import Path

ROOT = Path(os.environ["FILESYSTEM_TEST_DIR"])


def order():
    graph = {}
    for line in (ROOT / "needs.txt").read_text().splitlines():
        name, _, needs = line.partition(":")
        graph[name] = needs.split()
    try:
        sorter = graphlib.TopologicalSorter(graph)
        wanted = list(sorter.static_order())
    except graphlib.CycleError as error:
        print("✗ no cycle:", sorted(set(error.args[1])))
        return False
    print("✓ no cycle")
    found = (ROOT / "order.txt").read_text().split()
    place = {name: number for number, name in enumerate(found)}
    good = sorted(found) == sorted(wanted) and all(place[n] < place[name] for name in graph for n in graph[name])
    print("✓ order" if good else f"✗ order: {found}")
    heap = list(place.values())
    heapq.heapify(heap)
    print(heapq.nsmallest(2, heap), bisect.bisect(sorted(heap), 1))
    return good


CHECKS = [order]


def main():
    results = [check() for check in CHECKS]
    if all(results):
        print("🎉 all checks passed")
        sys.exit(0)
    print("💥 some checks failed")
    sys.exit(1)


if __name__ == "__main__":
    main()
