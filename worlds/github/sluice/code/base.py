"""What drivers have in common."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Frame:
    address: int
    payload: bytes
%% 2
    crc: int | None = None

    @property
    def is_whole(self) -> bool:
        return self.crc is None or crc16(self.payload) == self.crc
%% 1


class Driver:
    name = ""
    wire = ""

    def decode(self, frame: Frame) -> list[int]:
        raise NotImplementedError
%% 2


def crc16(data: bytes) -> int:
    """CRC-16/MODBUS."""
    crc = 0xFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = (crc >> 1) ^ 0xA001 if crc & 1 else crc >> 1
    return crc
