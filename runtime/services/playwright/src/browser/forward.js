// Passes connections to port 80 of the namespace on to the sites, which listen on a Unix socket of the host. The MCP
// server loads this module before its own, so the sites are reachable when it answers.
"use strict";
const net = require("node:net");

const server = net.createServer({ allowHalfOpen: true }, (near) => {
  const far = net.connect({ path: "/run/sites", allowHalfOpen: true });
  const end = () => {
    near.destroy();
    far.destroy();
  };
  near.on("error", end);
  far.on("error", end);
  near.pipe(far);
  far.pipe(near);
});
server.maxConnections = 256;
server.listen(80, "127.0.0.1");
