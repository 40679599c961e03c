import os

os.urandom(1 << 30)
