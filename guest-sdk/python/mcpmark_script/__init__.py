"""The guest in which mcpmark runs verifiers that are Python scripts."""
