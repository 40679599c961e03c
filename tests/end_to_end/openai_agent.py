"""An agent of the OpenAI Agents SDK that works on the world of an attempt. OPENAI_BASE_URL names the model server."""

import asyncio
import os
import sys

from agents import Agent, OpenAIChatCompletionsModel, Runner, set_tracing_disabled
from agents.mcp import MCPServerStreamableHttp
from openai import AsyncOpenAI


async def main():
    set_tracing_disabled(True)
    model = OpenAIChatCompletionsModel("scripted", AsyncOpenAI())
    address = {"url": os.environ["MCPMARK_MCP_URL"]}
    async with MCPServerStreamableHttp(params=address) as world:
        agent = Agent(name="worker", mcp_servers=[world], model=model)
        result = await Runner.run(agent, sys.stdin.read(), max_turns=100)
    print(result.final_output)


asyncio.run(main())
