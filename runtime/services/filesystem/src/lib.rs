//! The filesystem service: an in-process MCP server over a private copy of a world.
