// Makes a verifier of one ES module that exports `verify`:
//
//   node build.mjs verify.mjs verifier.wasm
//
// What comes out is a component of the world `verifier`. It imports what that world offers and
// nothing of WASI, so that it runs as a verifier in Rust does.

import { componentize } from "@bytecodealliance/componentize-js";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const [source, target] = process.argv.slice(2);
if (!source || !target) {
  console.error("usage: node build.mjs SOURCE.mjs TARGET.wasm");
  process.exit(2);
}
const here = dirname(fileURLToPath(import.meta.url));
const witPath = process.env.MCPMARK_GUEST_WIT ?? join(here, "..", "wit", "guest.wit");
const work = await mkdtemp(join(tmpdir(), "mcpmark-guest-"));
try {
  await writeFile(join(work, "module.mjs"), await readFile(source, "utf8"));
  await writeFile(join(work, "frame.mjs"), await readFile(join(here, "frame.mjs"), "utf8"));
  const { component } = await componentize({
    sourcePath: join(work, "frame.mjs"),
    witPath,
    worldName: "verifier",
    // What is left out is not linked.
    disableFeatures: ["random", "stdio", "clocks", "http", "fetch-event"],
  });
  await writeFile(target, component);
} finally {
  await rm(work, { recursive: true, force: true });
}
