import os
import sys

root = os.environ["FILESYSTEM_TEST_DIR"]
boats = os.path.join(root, "boats")
out = [name for name in sorted(os.listdir(boats)) if open(os.path.join(boats, name)).read() == "out\n"]
answer = os.path.join(root, "answer.txt")
if not os.path.exists(answer) or int(open(answer).read()) != len(out):
    print(f"❌ {len(out)} boats are out")
    sys.exit(1)
print(f"✅ {len(out)} boats are out")
