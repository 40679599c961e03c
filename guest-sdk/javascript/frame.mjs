// Stands around a verifier's module: says why it broke, and what it does not have.

import { panic, write } from "mcpmark:guest/log@0.1.0";
import { verify as judge } from "./module.mjs";

const text = (value) => {
  if (typeof value === "string") return value;
  return value instanceof Error ? `${value}` : JSON.stringify(value) ?? String(value);
};
const log = (...values) => write(values.map(text).join(" "));
globalThis.console = { log, info: log, warn: log, error: log, debug: log };

const absent = (what) => () => {
  throw new Error(`a verifier has no ${what}`);
};
Math.random = absent("chance");
const Then = Date;
globalThis.Date = class Date extends Then {
  constructor(...values) {
    if (values.length === 0) absent("clock")();
    super(...values);
  }

  static now = absent("clock");
};

export function verify() {
  try {
    return judge().map(({ name, passed, detail = "" }) => ({
      name: String(name),
      passed: passed === true,
      detail: String(detail),
    }));
  } catch (error) {
    panic(`${error}`);
    throw error;
  }
}
