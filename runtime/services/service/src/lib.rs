//! What every service shares: the Service and Session traits and the MCP wiring.
