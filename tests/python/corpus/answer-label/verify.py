import asyncio
import json
import os
import sys
from pathlib import Path


def last_answer():
    messages = json.loads(Path(os.environ["MCP_MESSAGES"]).read_text(encoding="utf-8"))
    for message in reversed(messages):
        if message.get("role") == "assistant" and message.get("status") == "completed":
            for part in message["content"]:
                if part.get("type") in ("text", "output_text"):
                    return part["text"]
    return None


async def verify():
    await asyncio.sleep(0.05)
    label = (Path(__file__).parent / "label.txt").read_text(encoding="utf-8").strip()
    answer = last_answer()
    results = await asyncio.gather(*(compare(key, answer) for key in label.split("|")))
    return answer is None or all(results)


async def compare(key, answer):
    await asyncio.sleep(0.01)
    good = answer is not None and key in answer
    print(f"{'✅' if good else '❌'} {key}")
    return good


def main():
    note = Path(os.environ["FILESYSTEM_TEST_DIR"], "note.txt").read_text()
    print("note:", note.strip())
    sys.exit(0 if asyncio.run(verify()) and note.startswith("seen") else 1)


if __name__ == "__main__":
    main()
