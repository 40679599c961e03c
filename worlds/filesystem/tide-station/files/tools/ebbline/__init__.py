"""Heights above chart datum from a tide gauge."""

__version__ = "2.3.1"

# Version of the height files, not of the program.
FORMAT = "2.3.1"
