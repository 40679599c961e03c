"""Turns raw readings of soil probes into a moisture between 0 and 1."""

from collections import deque
from dataclasses import dataclass

SMOOTHING = {{smoothing}}
%% 2
STALE_MINUTES = {{stale_minutes}}
%% 3
OUTLIER = {{outlier}}
%% 1


@dataclass
class Probe:
    """Calibration of one probe: its raw value in air and in water."""

    dry: int
    wet: int

    def moisture(self, raw: int) -> float:
%% 1-3
        return (raw - self.dry) / (self.wet - self.dry)
%% 4
        share = (raw - self.dry) / (self.wet - self.dry)
        return min(1.0, max(0.0, share))
%% 1


class Zone:
    """The moisture of a zone: the smoothed mean of its probes."""

    def __init__(self, probes: list[Probe]) -> None:
        self.probes = probes
        self.value: float | None = None
        self.recent: deque[float] = deque(maxlen=12)
%% 2
        self.minutes = 0

    def tick(self, minutes: int) -> None:
        self.minutes += minutes

    @property
    def is_stale(self) -> bool:
        """Whether nothing was heard for too long."""
        return self.minutes > STALE_MINUTES
%% 1

    def feed(self, raws: list[int]) -> float:
%% 1-4
        values = [probe.moisture(raw) for probe, raw in zip(self.probes, raws)]
%% 5
        values = [probe.moisture(raw) for probe, raw in zip(self.probes, raws) if raw > 0]
        if not values:
            return self.value if self.value is not None else 0.0
%% 3
        middle = sorted(values)[len(values) // 2]
        values = [value for value in values if abs(value - middle) <= OUTLIER]
%% 1
        mean = sum(values) / len(values)
        if self.value is None:
            self.value = mean
        else:
            self.value += SMOOTHING * (mean - self.value)
        self.recent.append(self.value)
%% 2
        self.minutes = 0
%% 1
        return self.value
