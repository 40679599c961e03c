from ebbline import frames


def test_good_frame():
    payload = bytes([0x21])
    total = frames.crc(payload)
    data = bytes([0x7E, 1]) + payload + bytes([total & 0xFF, total >> 8])
    assert list(frames.split(b"\x00" + data)) == [payload]
