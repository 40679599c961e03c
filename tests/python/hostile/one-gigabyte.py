try:
    bytearray(1 << 30)
except MemoryError:
    raise SystemExit(0)
