"""Reads the forecast that the schedule asks for."""

import json
import urllib.request
from dataclasses import dataclass
%% 2
from datetime import datetime, timedelta, timezone
%% 1

HOURS = {{forecast_hours}}
TIMEOUT_SECONDS = {{forecast_timeout}}
%% 2
MAX_AGE_HOURS = {{forecast_age}}
%% 1


@dataclass(frozen=True)
class Forecast:
    """What is to be expected in the next hours."""

    rain_mm: float
    min_celsius: float
%% 2
    made_at: datetime | None = None

    @property
    def stale(self) -> bool:
        if self.made_at is None:
            return True
        return datetime.now(timezone.utc) - self.made_at > timedelta(hours=MAX_AGE_HOURS)
%% 1


def fetch(base: str, latitude: float, longitude: float) -> Forecast:
%% 1-3
    url = f"{base}/forecast?lat={latitude}&lon={longitude}&hours={HOURS}"
%% 4
    url = f"{base}/forecast?lat={latitude:.3f}&lon={longitude:.3f}&hours={HOURS}"
%% 1
    with urllib.request.urlopen(url, timeout=TIMEOUT_SECONDS) as answer:
        return parse(answer.read())


def parse(body: bytes) -> Forecast:
    hours = json.loads(body)["hours"][:HOURS]
%% 1-4
    rain = sum(hour["rain"] for hour in hours)
%% 5
    rain = sum(hour.get("rain") or 0.0 for hour in hours)
%% 1
    coldest = min(hour["celsius"] for hour in hours)
%% 1-1
    return Forecast(rain, coldest)
%% 2
    return Forecast(rain, coldest, datetime.now(timezone.utc))
%% 3


def frost_expected(forecast: Forecast, guard: float) -> bool:
    """Whether pipes have to be drained tonight."""
    return forecast.min_celsius <= guard
