"""Stands in for python-dotenv. What a script may know of its environment it has already."""

import os

from mcpmark_script.gaps import of_module


def load_dotenv(dotenv_path=None, *args, **kwargs):
    """Sets no variable: there is no file of secrets here."""
    return False


def dotenv_values(dotenv_path=None, *args, **kwargs):
    """The same as a mapping."""
    return {}


def find_dotenv(filename=".env", *args, **kwargs):
    """Finds none."""
    return ""


def get_key(dotenv_path, key_to_get, *args, **kwargs):
    """The environment's own."""
    return os.environ.get(key_to_get)


__getattr__ = of_module(__name__)
