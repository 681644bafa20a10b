"""What to paste into each host, so that it runs `lrguard hook` and lets the model look back without asking.

A block goes to standard output, as one file where the host has one for all of it; from which version on it works is
told beside it. The permission names commands that read, and `LRGUARD_SAVED_ONLY=1` holds them to what lrguard saved.
"""

from __future__ import annotations

import json
from typing import NamedTuple

COMMANDS = ("peek", "schema", "grep")
SECONDS = 30


class Setup(NamedTuple):
    """What goes to standard output, and what is told on standard error."""

    text: str
    notes: tuple[str, ...]


def _json(value: object) -> str:
    return json.dumps(value, indent=2) + "\n"


def _hook(command: str, **more: object) -> dict[str, object]:
    return {"type": "command", "command": command, **more}


CLAUDE_CODE = Setup(
    _json(
        {
            "env": {"LRGUARD_SAVED_ONLY": "1", "BASH_MAX_OUTPUT_LENGTH": "150000"},
            "permissions": {"allow": [f"Bash(lrguard {name}:*)" for name in COMMANDS]},
            "hooks": {
                "PostToolUse": [
                    {
                        "matcher": "^(Bash|mcp__.*)$",
                        "hooks": [_hook("lrguard hook claude-code", timeout=SECONDS)],
                    }
                ]
            },
        }
    ),
    (
        "Claude Code, 2.1.121 or later: merge into ~/.claude/settings.json, or a project's .claude/settings.json.",
        "Results of failed calls cannot be replaced by a hook there; `lrguard run` and `lrguard mcp` can.",
    ),
)

CODEX = Setup(
    f"""# Codex CLI, 0.124 or later: merge into ~/.codex/config.toml. Approve the hook with /hooks before its first use.
[[hooks.PostToolUse]]
matcher = "^(Bash|mcp__.*)$"

[[hooks.PostToolUse.hooks]]
type = "command"
command = "lrguard hook codex"
timeout = {SECONDS}

[shell_environment_policy]
set = {{ LRGUARD_SAVED_ONLY = "1" }}

# Into ~/.codex/rules/lrguard.rules, without the comment signs, so that looking back needs no approval:
# prefix_rule(pattern = ["lrguard", {json.dumps(COMMANDS)}], decision = "allow")
""",
    (
        "Codex cuts the output of commands to about 10,000 tokens before a hook sees it; `lrguard run` gets all of it.",
        "In code mode Codex does not take the answers of hooks.",
    ),
)

GEMINI_CLI = Setup(
    "# Gemini CLI 0.61.0 (measured): merge into ~/.gemini/settings.json\n"
    + _json(
        {
            "hooks": {
                "AfterTool": [
                    {
                        "matcher": "run_shell_command|mcp_.*",
                        "hooks": [_hook("lrguard hook gemini-cli", name="lrguard", timeout=SECONDS * 1000)],
                    }
                ]
            }
        }
    )
    + "\n# ~/.gemini/.env\nLRGUARD_SAVED_ONLY=1\n\n# ~/.gemini/policies/lrguard.toml\n"
    + "[[rule]]\n"
    + 'toolName = "run_shell_command"\n'
    + f"commandPrefix = {json.dumps([f'lrguard {name}' for name in COMMANDS])}\n"
    + 'decision = "allow"\npriority = 100\n',
    ("The model gets a replaced result as an error whose text says that it is none.",),
)

OPENCODE = Setup(
    """// OpenCode 1.18.33 (measured): save as ~/.config/opencode/plugin/lrguard.js, or a project's
// .opencode/plugin/lrguard.js.
// In opencode.json, so that looking back needs no approval:
//   "permission": { "bash": { "lrguard peek *": "allow", "lrguard schema *": "allow", "lrguard grep *": "allow" } }
import { spawn } from "node:child_process"

// The commands that the model runs may read saved responses only.
process.env.LRGUARD_SAVED_ONLY = "1"

// What lrguard answers to a hook; undefined where it has nothing to change or cannot be run.
function ask(payload) {
  return new Promise((resolve) => {
    const pieces = []
    const child = spawn("lrguard", ["hook", "opencode"], { stdio: ["pipe", "pipe", "inherit"] })
    const timer = setTimeout(() => child.kill(), 30_000)
    const finish = (answer) => {
      clearTimeout(timer)
      resolve(answer)
    }
    child.on("error", () => finish(undefined))
    child.stdin.on("error", () => {})
    child.stdout.on("data", (piece) => pieces.push(piece))
    child.on("close", (status) => {
      try {
        finish(status === 0 && pieces.length ? JSON.parse(Buffer.concat(pieces).toString("utf8")) : undefined)
      } catch {
        finish(undefined)
      }
    })
    child.stdin.end(JSON.stringify(payload))
  })
}

export const Lrguard = async () => ({
  "tool.execute.after": async (input, output) => {
    if (!output) return
    const answer = await ask({ input, output })
    const changed = answer?.output
    if (!changed) return
    if (typeof changed.output === "string") output.output = changed.output
    if (Array.isArray(changed.content)) output.content = changed.content
  },
})
""",
    ("Results of MCP tools that report an error do not reach plugins there; `lrguard mcp` gets them.",),
)

COPILOT_CLI = Setup(
    "# Copilot CLI, 1.0.67 or later: save as ~/.copilot/hooks/lrguard.json\n"
    + _json(
        {
            "version": 1,
            "hooks": {
                "postToolUse": [{"type": "command", "bash": "lrguard hook copilot-cli", "timeoutSec": SECONDS}],
            },
        }
    )
    + "\n# the way to start it, so that looking back needs no approval\nLRGUARD_SAVED_ONLY=1 copilot "
    + " ".join(f"--allow-tool 'shell(lrguard {name})'" for name in COMMANDS)
    + "\n",
    ("Failed calls of MCP tools cannot be replaced by a hook there; `lrguard mcp` can.",),
)

CURSOR = Setup(
    "# Cursor (by its documentation, not measured): save as ~/.cursor/hooks.json\n"
    + _json(
        {
            "version": 1,
            "hooks": {"postToolUse": [{"command": "lrguard hook cursor", "timeout": SECONDS, "matcher": "MCP:.*"}]},
        }
    )
    + "\n# ~/.cursor/permissions.json, with LRGUARD_SAVED_ONLY=1 in the environment that Cursor starts in\n"
    + _json({"terminalAllowlist": [f"lrguard {name}" for name in COMMANDS]}),
    ("Only results of MCP tools can be replaced there; use `lrguard run` for commands.",),
)

SETUPS = {
    "claude-code": CLAUDE_CODE,
    "codex": CODEX,
    "gemini-cli": GEMINI_CLI,
    "opencode": OPENCODE,
    "copilot-cli": COPILOT_CLI,
    "cursor": CURSOR,
}
"""By the names on the command line."""
