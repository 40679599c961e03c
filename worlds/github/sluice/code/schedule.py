"""Decides when a zone is watered, and for how long."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from sluice.crops import Crop
%% 3
from sluice.{{weather_module}} import Forecast

EARLIEST_HOUR = {{earliest_hour}}
LATEST_HOUR = {{latest_hour}}
%% 2
MIN_RUN_SECONDS = {{min_run_seconds}}
%% 3
RAIN_SKIP_MM = {{rain_skip_mm}}
%% 1


@dataclass(frozen=True)
class Run:
    """One watering of one zone."""

    zone: str
    start: datetime
    seconds: int

    @property
    def end(self) -> datetime:
        return self.start + timedelta(seconds=self.seconds)


%% 1-1
def plan(zone: str, crop: Crop, moisture: float, now: datetime) -> Run | None:
    """The next run of a zone, or none when the soil is wet enough."""
    if moisture >= crop.high:
        return None
%% 2-2
def plan(zone: str, crop: Crop, moisture: float, now: datetime) -> Run | None:
    """The next run of a zone, or none when the soil is wet enough."""
    if moisture >= crop.low:
        return None
%% 3-4
def plan(
    zone: str, crop: Crop, moisture: float, now: datetime, forecast: Forecast | None = None
) -> Run | None:
    """The next run of a zone, or none when the soil is wet enough or rain will do."""
    if moisture >= crop.low:
        return None
    if forecast is not None and forecast.rain_mm >= RAIN_SKIP_MM:
        return None
%% 5
def plan(
    zone: str, crop: Crop, moisture: float, now: datetime, forecast: Forecast | None = None
) -> Run | None:
    """The next run of a zone, or none when the soil is wet enough or rain will do."""
    if moisture >= crop.low:
        return None
    if forecast is not None and not forecast.stale and forecast.rain_mm >= RAIN_SKIP_MM:
        return None
%% 1
    missing = (crop.high - moisture) / crop.high
    seconds = round(missing * crop.max_minutes * 60)
%% 2
    if seconds < MIN_RUN_SECONDS:
        return None
%% 1
    return Run(zone, next_slot(now), seconds)


def next_slot(now: datetime) -> datetime:
    """The first moment from now on at which watering is allowed."""
%% 1-3
    if EARLIEST_HOUR <= now.hour < LATEST_HOUR:
        return now
    start = now.replace(hour=EARLIEST_HOUR, minute=0, second=0)
    return start if start > now else start + timedelta(days=1)
%% 4
    if EARLIEST_HOUR <= now.hour < LATEST_HOUR:
        return now
    start = now.replace(hour=EARLIEST_HOUR, minute=0, second=0, microsecond=0)
    return start if start > now else start + timedelta(days=1)
%% 2


def overlaps(one: Run, other: Run) -> bool:
    """Whether two runs want the pump at the same time."""
    return one.start < other.end and other.start < one.end
%% 4


def queue(runs: list[Run]) -> list[Run]:
    """Moves runs back so that no two of them overlap, the driest zone first."""
    done: list[Run] = []
    for run in sorted(runs, key=lambda run: -run.seconds):
        if done and run.start < done[-1].end:
            run = Run(run.zone, done[-1].end, run.seconds)
        done.append(run)
    return done
