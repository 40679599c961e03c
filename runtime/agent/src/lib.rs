//! Agents and the loop that drives them over MCP, with limits and a trajectory.
