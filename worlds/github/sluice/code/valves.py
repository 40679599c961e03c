"""Opens and closes valves, and never forgets one."""

import logging
import time
from typing import Protocol

log = logging.getLogger(__name__)

MAX_OPEN_SECONDS = {{max_open_seconds}}
%% 2
PRIME_SECONDS = {{prime_seconds}}
%% 3
RETRIES = {{valve_retries}}
%% 1


class Line(Protocol):
    """The wire to the valves."""

    def set(self, valve: int, is_open: bool) -> bool: ...


class ValveStuck(Exception):
    """A valve did not do what it was told."""


class Valves:
    def __init__(self, line: Line) -> None:
        self.line = line
        self.open_since: dict[int, float] = {}

    def open(self, valve: int) -> None:
%% 2
        if not self.open_since:
            time.sleep(PRIME_SECONDS)
%% 1-2
        if not self.line.set(valve, True):
            raise ValveStuck(f"valve {valve} does not open")
%% 3
        self._set(valve, True)
%% 1
        self.open_since[valve] = time.monotonic()
        log.info("valve %d open", valve)

    def close(self, valve: int) -> None:
%% 1-2
        if not self.line.set(valve, False):
            raise ValveStuck(f"valve {valve} does not close")
        self.open_since.pop(valve, None)
%% 3-3
        self.open_since.pop(valve, None)
        self._set(valve, False)
%% 4
        self._set(valve, False)
        self.open_since.pop(valve, None)
%% 1
        log.info("valve %d closed", valve)

    def watch(self) -> list[int]:
        """Closes every valve that has been open for too long, and names them."""
        now = time.monotonic()
        late = [v for v, since in self.open_since.items() if now - since > MAX_OPEN_SECONDS]
        for valve in late:
            log.warning("valve %d was open for more than %d s", valve, MAX_OPEN_SECONDS)
            self.close(valve)
        return late
%% 3

    def _set(self, valve: int, is_open: bool) -> None:
        for attempt in range(1 + RETRIES):
            if self.line.set(valve, is_open):
                return
            log.warning("valve %d: attempt %d failed", valve, attempt + 1)
        raise ValveStuck(f"valve {valve} does not {'open' if is_open else 'close'}")
