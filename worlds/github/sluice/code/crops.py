"""Reads what a crop wants from crops/<name>.toml."""

import tomllib
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Crop:
    name: str
    low: float
    high: float
    max_minutes: int
    rest_hours: int
%% 3
    frost_guard: float = 2.0
%% 2


class BadCrop(ValueError):
    """A file says something that cannot be."""
%% 1


def load(directory: Path, name: str) -> Crop:
    text = (directory / f"{name}.toml").read_text(encoding="utf-8")
%% 1-1
    return Crop(name=name, **tomllib.loads(text))
%% 2-3
    crop = Crop(name=name, **tomllib.loads(text))
    if not 0 < crop.low < crop.high < 1:
        raise BadCrop(f"{name}: low and high must ascend between 0 and 1")
    return crop
%% 4
    try:
        crop = Crop(name=name, **tomllib.loads(text))
    except TypeError as error:
        raise BadCrop(f"{name}: {error}") from None
    if not 0 < crop.low < crop.high < 1:
        raise BadCrop(f"{name}: low and high must ascend between 0 and 1")
    return crop
