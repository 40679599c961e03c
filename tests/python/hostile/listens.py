import socket

socket.socket().bind(("127.0.0.1", 0))
