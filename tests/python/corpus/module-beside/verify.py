import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from helper import Book, describe

root = os.environ["FILESYSTEM_TEST_DIR"]
with open(os.path.join(root, "books.txt"), encoding="utf-8") as file:
    books = [Book(*line.rstrip("\n").split("|")) for line in file]
for book in books:
    print(describe(book))
ok = [book.title for book in books] == sorted(book.title for book in books)
print("✅ sorted by title" if ok else "❌ sorted by title")
exit(0 if ok else 2)
