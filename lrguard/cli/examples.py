"""Examples of every command, for its help and its manual page. A test runs each one as it stands here."""

from __future__ import annotations

from typing import NamedTuple


class Example(NamedTuple):
    """One line for a shell, and what it is for."""

    purpose: str
    line: str


EXAMPLES = {
    "": (
        Example(
            "Guard what a command prints, and keep it under the tool's name",
            "kubectl get pods -o json | lrguard -n kubectl",
        ),
        Example("Guard a file, with a threshold of your own", "lrguard --threshold 2000 build.log"),
        Example(
            "Ask whether a result would pass, without saving anything", "lrguard --check orders.json && echo small"
        ),
    ),
    "batch": (
        Example(
            "Keep the results of one turn under 8,000 tokens together",
            "lrguard batch --total-threshold 8000 < results.jsonl",
        ),
        Example("Guard several files as the results of one turn", "lrguard batch build.log orders.json"),
    ),
    "run": (
        Example("Run the tests; the exit status is theirs", "lrguard run -- make test"),
        Example("Run a line of shell, both outputs as one result", "lrguard run --merge --shell 'cd src && make 2>&1'"),
    ),
    "hook": (
        Example("See what to paste into the harness's configuration", "lrguard hook claude-code --print-config"),
        Example("Answer one recorded call", "lrguard hook claude-code < payload.json"),
    ),
    "mcp": (
        Example(
            "Start a server behind the proxy, as a client's configuration does",
            "lrguard mcp -- npx -y @modelcontextprotocol/server-everything",
        ),
        Example(
            "Offer lrguard's own tools to a client without a shell",
            "lrguard mcp --tools --threshold 4000 -- ./server.sh",
        ),
    ),
    "peek": (
        Example("Read lines 120 to 160 of the newest response", "lrguard peek --lines 120:160"),
        Example("Read one value of a JSON response", "lrguard peek --path '$.orders[3].customer' ./orders.json"),
        Example("Take the exact bytes out again", "lrguard peek --raw last > result"),
    ),
    "schema": (
        Example("Infer the structure of the newest response", "lrguard schema"),
        Example(
            "Write a JSON Schema of any file", "lrguard schema --format json-schema ./orders.json > orders.schema.json"
        ),
    ),
    "grep": (
        Example("Search the newest response, with two lines around each match", "lrguard grep -i -C 2 timeout"),
        Example(
            "Print each order in which something matches",
            "lrguard grep --path '$.orders' --record 'Customer 3' ./orders.json",
        ),
    ),
    "list": (
        Example("See what the session holds", "lrguard list"),
        Example("Take the paths, for a script", "lrguard list --json | jq -r .path"),
    ),
    "purge": (
        Example("See what would be removed", "lrguard purge --older-than 7d --dry-run"),
        Example("Keep the newest half gigabyte", "lrguard purge --keep-bytes 500MB"),
    ),
    "count": (
        Example("Count the tokens of files, and their sum", "lrguard count build.log orders.json"),
        Example("Count what a command prints", "git log --oneline | lrguard count"),
    ),
    "config": (
        Example("See every setting and where it comes from", "lrguard config"),
        Example("See those that hold for one tool", "lrguard config --tool github_search"),
    ),
    "trust": (
        Example("Approve the configuration that holds here, after reading it", "lrguard trust"),
        Example("Take the approval back", "lrguard trust --revoke"),
    ),
    "completion": (
        Example("Complete in this shell, if it is bash", 'eval "$(lrguard completion bash)"'),
        Example(
            "Install the completions of fish for good",
            "lrguard completion fish > ~/.config/fish/completions/lrguard.fish",
        ),
    ),
}
