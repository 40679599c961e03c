import datetime
import os
import random
import secrets
import tempfile
import time
import uuid

print(random.random(), os.urandom(8), uuid.uuid4(), uuid.uuid1(), secrets.token_hex(4))
print(time.time(), time.monotonic(), datetime.datetime.now(), time.localtime())
print(id(object()), hash("abc"), {"a", "b", "c"}, os.getpid())
print(os.stat("/state/a.txt"), next(tempfile._get_candidate_names()))
