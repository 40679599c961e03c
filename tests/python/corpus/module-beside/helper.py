"""Books."""

from dataclasses import dataclass


@dataclass(order=True)
class Book:
    title: str
    year: str


def describe(book):
    return f"{book!r} of the {int(book.year) // 100 + 1}th century"
