import socket

try:
    socket.create_connection(("127.0.0.1", 80), timeout=1)
except BaseException:
    pass
raise SystemExit(0)
