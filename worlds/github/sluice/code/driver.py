"""Driver for [[maker]] [[model]] ([[wire]])."""

from sluice.drivers.base import Driver, Frame

POLL_SECONDS = {{poll_seconds}}
TIMEOUT_MS = {{timeout_ms}}
RETRIES = {{retries}}


class [[class]](Driver):
    """[[note]]"""

    name = "[[name]]"
    wire = "[[wire]]"

    def decode(self, frame: Frame) -> list[int]:
        if len(frame.payload) < [[length]]:
            raise ValueError("short frame")
        return [
            int.from_bytes(frame.payload[at : at + 2], "[[order]]")
            for at in range([[offset]], [[length]], 2)
        ]
%% 2

    def is_alive(self, seconds: float) -> bool:
        """Whether the last frame came within three polls."""
        return seconds <= 3 * POLL_SECONDS
