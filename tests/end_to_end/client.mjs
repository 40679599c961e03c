// Works on filesystem/food-bank/active-agencies through the TypeScript SDK, by the rules of the task,
// and prints what it saw of the server. The server is the first argument, as JSON: one to start, or a `url`.

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const server = JSON.parse(process.argv[2]);
const client = new Client({ name: "by-hand", version: "1.0.0" });
const transport = server.url
  ? new StreamableHTTPClientTransport(new URL(server.url))
  : new StdioClientTransport({ ...server, stderr: "inherit" });
// The server may first wait for a build of guests. The default of the SDK is 60 seconds.
await client.connect(transport, { timeout: 600_000 });
const { tools } = await client.listTools();

async function call(name, args) {
  const result = await client.callTool({ name, arguments: args });
  return { text: result.content.map((part) => part.text).join(""), failed: result.isError === true };
}

async function text(name, args) {
  const { text, failed } = await call(name, args);
  if (failed) throw new Error(`${name}: ${text}`);
  return text;
}

const allowed = await text("list_allowed_directories", {});
const root = allowed.split("\n")[1];
const { text: refused, failed } = await call("read_text_file", { path: "/etc/passwd" });
if (!failed) throw new Error("a file outside the world was read");

// A line of CSV: fields with commas are in double quotes.
function fields(line) {
  const cells = [""];
  let quoted = false;
  for (const letter of line) {
    if (letter === '"') quoted = !quoted;
    else if (letter === "," && !quoted) cells.push("");
    else cells[cells.length - 1] += letter;
  }
  return cells;
}

const source = await text("read_text_file", { path: `${root}/partners/agencies.csv` });
const holds = new Map();
for (const line of source.trimEnd().split("\n").slice(1)) {
  const [id, name, town, status, , parcels, until] = fields(line);
  holds.set(id, { id, name, town, status, parcels: Number(parcels || 0), until });
}

const order = (a, b) => (a < b ? -1 : a > b ? 1 : 0);
const active = ["active", "live", "yes"];
const list = [...holds.values()]
  .filter(({ status }) => active.includes(status.trim().toLowerCase()))
  .filter(({ until }) => until === "" || until >= "2025-07-01")
  .sort((a, b) => order(a.town, b.town) || order(a.name, b.name));
const field = (value) => (value.includes(",") ? `"${value}"` : value);
const lines = list.map(({ id, name, town, parcels }) =>
  [id, name, town, String(parcels)].map(field).join(","),
);
const sum = list.reduce((sum, { parcels }) => sum + parcels, 0);
const [largest] = [...list].sort((a, b) => b.parcels - a.parcels || order(a.id, b.id));

await text("create_directory", { path: `${root}/reports` });
await text("write_file", {
  path: `${root}/reports/active-agencies.csv`,
  content: ["agency_id,name,town,parcels_per_week", ...lines, ""].join("\n"),
});
await text("write_file", {
  path: `${root}/reports/active-agencies.txt`,
  content: `Agencies: ${list.length}\nParcels per week: ${sum}\nLargest: ${largest.id} (${largest.parcels})\n`,
});

const report = {
  server: client.getServerVersion().name,
  tools: tools.map((tool) => tool.name),
  refused,
};
if (server.url) await transport.terminateSession();
await client.close();
console.log(JSON.stringify(report));
