"""What manual pages say beside the options: written by hand, in prose where `code` is bold and *value* in italics."""

from __future__ import annotations

DATE = "2026-12-01"
"""When the text last changed."""

OTHER_USES = {"": ("*COMMAND* | `lrguard` [*OPTIONS*]", "`lrguard` *COMMAND* [*OPTIONS*] ...")}
"""Further lines of a synopsis."""

_IDS = """*ID* is `last` (the default), an id as messages have it, the beginning of just one id (four characters or
more), the name of a saved file, or, with a slash in it, the path of any file. `-` is standard input. The reading copy
is read where there is one; `--path`, `--bytes`, `--raw` and `lrguard schema` go to the original.

What is printed is bounded by `--max-tokens`, so that it is never offloaded again. A cut is marked in the output, and
standard error names the command that prints the next part."""

DESCRIPTIONS = {
    "": """It stands between a tool and a model: what a tool printed goes in, what the model should read comes out. In
this order: bytes that are no text are saved as a file with the extension of their real type; base64 and data URLs of
at least 256 characters are decoded into files, with a reference in their place; and where what would be printed has
more tokens than the threshold, the original is saved byte for byte, and a message takes its place: what it was, where
it is, what it looks like, and the commands that look further. Everything else passes unchanged.

Nothing is lost. If saving fails the result is printed as it is, one line on standard error says why, and the status is
2. A message that would not be shorter than the result is not used.

The first argument selects a command when it is the name of one. A file of such a name is written `./peek`.""",
    "batch": """An entry holds its result in `content`, which is a string, an array of MCP content blocks or a whole
MCP tool result, or names a file in `path`. Every entry comes out again as it went in, on one line, but with its
content replaced in the same shape and with `lrguard` added: what is known of the result.

First every result over its own threshold is offloaded. Then, while all together are over the combined threshold, the
largest that is left is offloaded too; at last the messages are shortened. None is dropped. A bad entry becomes `{"id":
..., "error": ...}` in its place, and the status is 2 at the end.""",
    "run": """Options of lrguard end at the command's name; `--` before it makes that plain. Standard input is the
command's own. Signals are passed on to the command, and what it printed until its end is guarded.

Where lrguard cannot work, because of a configuration that cannot be read, the command runs unguarded, with a note.""",
    "hook": """Whatever arrives on standard input the status is 0, since 2 means to several harnesses that the call is
to be blocked: what is not understood is left as it is. Without `--session` the session is the harness's own, under
lrguard's state directory.""",
    "mcp": """Every byte that is not the response to a pending `tools/call` is passed on as it came, but for the list
of tools: from that output schemas are taken out, which a message could not keep to, unless `--keep-output-schema` says
otherwise. Images and audio stay for the client to show, unless `--media extract` makes them files.

With `--tools` the client is offered `lrguard_peek`, `lrguard_schema` and `lrguard_grep`, for a model that has no
shell.""",
    "peek": f"""{_IDS}

Lines count from 1 and the last is included; characters and bytes count from 0 and the end is not. `A:+N` are N from A
on, and negative numbers count from the end. A path is JSONPath as RFC 9535 has it; values come as the document writes
them. No match, or a range outside of the response, is status 1.""",
    "schema": f"""The compact form reads like TypeScript: `key?` may be absent, `[5520]` counts elements, a shape that
occurs again is named once, and an object that is used as a map is one entry with its count. The JSON Schema is of
draft 2020-12 and accepts the document that it was made from.

{_IDS}""",
    "grep": f"""The expression is matched in linear time, whatever it is; one that does not compile is searched as
text. Counts are of matches, not of lines. A match in a long line is shown with a window around it, never with the
whole line.

{_IDS}""",
    "list": "Columns are id, time it was last seen, tool, call id, type, tokens (`~`: estimated), bytes and path.",
    "purge": """Only files that lrguard's own records or its own names for temporary files account for are removed. An
asset goes with the last response that refers to it. At least one of `--older-than`, `--keep-bytes` and `--all` says
what is to go; without one, only what crashed runs left.""",
    "count": "A number that is an estimate is printed with `~`. Binary data is an error.",
    "config": """Of one setting the most specific source wins: option, environment, configuration (the tool's part,
then the agent's, then the general one), default.""",
    "trust": """A configuration found in a working tree may come from anyone. A command that summarizes, what becomes
of old responses, and a session outside of the configuration's own folder are ignored there until they are approved.
The approval is of the file's path and of its content: it ends when either changes.""",
    "completion": """The wheel installs the same scripts where shells look for them, below the prefix of the
installation. This prints them where that is elsewhere.""",
}

EXIT_STATUS = (
    ("0", "Done."),
    ("1", "The answer is no: nothing was found, or it would not pass."),
    ("2", "Error, or bad usage; one line on standard error says what to do."),
    ("130, 143, 129", "Ended by SIGINT, SIGTERM or SIGHUP."),
    ("141", "The reader of standard output closed it."),
)

STATUSES = {
    "": (
        ("0", "Done."),
        ("1", "With `--check`: the result would not pass."),
        ("2", "Error, or bad usage. What is on standard output is then the whole result."),
        ("130, 143, 129", "Ended by SIGINT, SIGTERM or SIGHUP. What had arrived was treated as a whole result."),
        ("141", "The reader of standard output closed it."),
    ),
    "run": (
        ("*N*", "The command's own status; 128+n where signal n ended it."),
        ("127, 126", "The command was not found, or could not be started."),
        ("2", "Bad usage; nothing was run."),
    ),
    "hook": (("0", "Whatever arrives on standard input."), ("1", "Bad options or a bad configuration.")),
    "mcp": (("*N*", "The server's own status; 128+n where signal n ended it."), ("2", "Bad usage; nothing was run.")),
}

ENVIRONMENT = (
    ("`LRGUARD_DEBUG`", "With `1`, errors come with a traceback."),
    ("`XDG_STATE_HOME`, `XDG_CONFIG_HOME`, `XDG_CACHE_HOME`", "Bases of lrguard's own directories; see below."),
)

PEOPLE = (
    ("`NO_COLOR`", "When set, nothing is colored."),
    ("`FORCE_COLOR`", "When set, JSON and code are highlighted also where standard output is no terminal."),
    ("`PAGER`", "Shows on a terminal what is longer than that."),
)
"""What `lrguard peek` heeds besides."""

_STATE = (
    "*$XDG_STATE_HOME/lrguard/*",
    "Sessions that nobody named, one for each repository or folder; `~/.local/state/lrguard/` by default.",
)
_CONFIGURATION = (
    (
        "*lrguard.toml*",
        "The configuration of a repository or folder, the nearest one from here to the repository's top.",
    ),
    ("*$XDG_CONFIG_HOME/lrguard/config.toml*", "The user's configuration; `~/.config/lrguard/config.toml` by default."),
)
_CACHE = ("*$XDG_CACHE_HOME/lrguard/*", "Tables of token vocabularies, made when first needed.")

SESSION_FILES = (
    ("*SESSION/long_responses/*", "Saved responses, named by time, tool and id, and their reading copies."),
    ("*SESSION/downloads/*", "Binary responses; in `assets` the data that was taken out of others."),
    ("*SESSION/.lrguard/*", "What is known of each response."),
    _STATE,
    *_CONFIGURATION,
    _CACHE,
)

FILES = {
    "config": (*_CONFIGURATION, _STATE),
    "trust": (*_CONFIGURATION, ("*$XDG_STATE_HOME/lrguard/*", "Approvals.")),
    "count": (*_CONFIGURATION, _CACHE),
    "completion": (
        ("*PREFIX/share/bash-completion/completions/lrguard*", "The script for bash."),
        ("*PREFIX/share/zsh/site-functions/_lrguard*", "The script for zsh."),
        ("*PREFIX/share/fish/vendor_completions.d/lrguard.fish*", "The script for fish."),
    ),
}

SECTIONS = {
    "CONFIGURATION": """Settings come from options, from the environment, from the configuration, and from defaults:
the most specific wins. Within one of these a threshold beats a context window, which beats an agent's profile.
`lrguard config` prints every setting and its source.

A configuration is TOML, with `session` and `encoding` at its top; `[large_tool_response]` with `enabled`,
`individual_tool_response_token_threshold`, `total_tool_response_token_threshold` and `preview_number_of_characters`;
the same for one profile or tool in `[agents.NAME]` and `[tools.PATTERN]`; `[summarize]` with `command`, `timeout` and
`max_input_tokens`; `[retention]` with `older_than` and `keep_bytes`.""",
    "SECURITY": """Responses are kept as they came and are not redacted: secrets that a tool printed are in these
files. What lrguard makes is readable by its user alone. A session that nobody named drops what was last seen more than
7 days ago, and the oldest beyond 2 GB; a named one keeps everything until `lrguard purge`. A summarizer sends
responses where its command sends them.

What a message shows of a response stands between two lines with a marker that does not occur in it, with control and
invisible characters escaped. It is data from the tool, and may still hold anything that the tool's sources wrote.""",
}
"""Sections of the program's own page."""

SEE_ALSO = {
    "batch": ("run", "mcp", "hook"),
    "run": ("batch", "hook", "peek"),
    "hook": ("batch", "mcp", "config"),
    "mcp": ("hook", "batch", "config"),
    "peek": ("schema", "grep", "list"),
    "schema": ("peek", "grep"),
    "grep": ("peek", "schema", "list"),
    "list": ("peek", "purge"),
    "purge": ("list", "config"),
    "count": ("peek",),
    "config": ("trust",),
    "trust": ("config",),
    "completion": (),
}
OUTSIDE = ()
"""Pages of other programs."""
