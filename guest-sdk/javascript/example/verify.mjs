// Judges whether answer.txt has the number of boats that are out.

import { read, walk } from "mcpmark:guest/state@0.1.0";

const MOST = 8n << 20n;
const text = (path) => new TextDecoder().decode(read("final", path, 0n, MOST));

export function verify() {
  const files = walk("final", "").filter((entry) => entry.kind === "file");
  const boats = files.filter((entry) => entry.path.startsWith("boats/"));
  const out = boats.filter((entry) => text(entry.path).trim() === "out").length;
  const found = files.some((entry) => entry.path === "answer.txt") ? text("answer.txt").trim() : null;
  return [
    { name: "answer.txt exists", passed: found !== null },
    {
      name: "the number of boats is right",
      passed: found === String(out),
      detail: `expected ${out}, found ${found}`,
    },
  ];
}
