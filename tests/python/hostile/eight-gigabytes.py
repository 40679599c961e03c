bytearray(8 << 30)
