import subprocess

subprocess.run(["true"], check=True)
