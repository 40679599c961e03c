import { getEnvironment } from "wasi:cli/environment@0.2.9";
import { getDirectories } from "wasi:filesystem/preopens@0.2.9";

const read = (path) => {
  const [[root]] = getDirectories();
  const file = root.openAt({ symlinkFollow: true }, path.slice(1), {}, { read: true });
  return new TextDecoder().decode(file.read(1n << 20n, 0n)[0]);
};

export const run = {
  run() {
    const env = Object.fromEntries(getEnvironment());
    const lines = read(`${env.MCPMARK_START_DIR}/log.txt`).split("\n").length - 1;
    const given = Number(read(`${env.FILESYSTEM_TEST_DIR}/answer.txt`));
    console.log(`${given === lines ? "✓" : "✗"} answer.txt has the number of lines`);
    if (given !== lines) throw "wrong";
  },
};
