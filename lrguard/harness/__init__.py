"""The programs that lrguard stands in front of or inside: commands, MCP servers, hooks of agent harnesses."""
