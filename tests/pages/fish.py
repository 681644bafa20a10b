"""The completion script for fish."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lrguard.cli.tree import Command, Flag
from tests.pages.values import HEADER, Kind, brief, of_arguments, of_flag

_SCRIPT = r"""# fish @HEADER@

# The words before the cursor, the program left out.
function __lrguard_words
    set -l words (commandline -opc)
    string join \n -- $words[2..]
end

# Whether $argv[1] is the command: the first word, else the filter, whose name is empty.
function __lrguard_is
    set -l words (__lrguard_words)
    if contains -- "$words[1]" @NAMES@
        test "$words[1]" = "$argv[1]"
    else
        test -z "$argv[1]"
    end
end

function __lrguard_is_first
    test (count (__lrguard_words)) -eq 0
end

# The session that the words name.
function __lrguard_session
    set -l words (__lrguard_words)
    for i in (seq (count $words))
        switch $words[$i]
            case -s --session
                echo -- $words[(math $i + 1)]
                return
            case '--session=*'
                string replace -- --session= '' $words[$i]
                return
            case '-s?*'
                string sub -s 3 -- $words[$i]
                return
        end
    end
end

function __lrguard_responses
    printf 'last\tthe newest response\n'
    set -l session (__lrguard_session | string replace -r '^~/' "$HOME/")
    set -l options --max-tokens 0
    test -n "$session"; and set -a options -s $session
    lrguard list $options 2>/dev/null | while read -l line
        set -l fields (string split -n ' ' -- $line)
        string match -qr '^[0-9a-f]{8,64}$' -- $fields[1]
        and printf '%s\t%s, %s, %s tokens\n' $fields[1] $fields[3] $fields[5] $fields[6]
    end
end

# Completes the command behind `run` or `mcp`, as if it stood alone.
function __lrguard_run
    set -l words (__lrguard_words)
    set -l at (contains -i -- -- $words)
    or return
    set -l rest $words[(math $at + 1)..]
    complete -C (string join ' ' -- (string escape -- $rest) (commandline -ct))
end

complete -c lrguard -f
@COMPLETIONS@
"""


def script(commands: Sequence[Command]) -> str:
    """The script."""
    named = [command for command in commands if command.name]
    lines = [
        f"complete -c lrguard -n __lrguard_is_first -a {command.name} -d {_quoted(command.summary)}"
        for command in named
    ]
    lines += [line for command in commands for line in ("", *_of(command))]
    names = " ".join(command.name for command in named)
    return _SCRIPT.replace("@HEADER@", HEADER).replace("@NAMES@", names).replace("@COMPLETIONS@", "\n".join(lines))


def _of(command: Command) -> Iterator[str]:
    condition = f"complete -c lrguard -n {_quoted(f'__lrguard_is {command.name or repr(str())}')}"
    for flag in command.flags:
        yield f"{condition} {_flag(flag)}"
    kind, argument = of_arguments(command)
    choices = argument.choices if argument else ()
    proposed = {
        Kind.WORDS: f"-a {_quoted(' '.join(choices))}",
        Kind.FILE: "-F",
        Kind.RESPONSE: "-F -k -a '(__lrguard_responses)'",
        Kind.PATTERN: "-F -k -a '(__lrguard_responses)'",
        Kind.COMMAND: "-a '(__lrguard_run)'",
    }
    if kind in proposed:
        yield f"{condition} {proposed[kind]}"


def _flag(flag: Flag) -> str:
    names = " ".join(f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}" for name in flag.names)
    takes = {
        Kind.WORDS: f"-x -a {_quoted(' '.join(flag.choices))}",
        Kind.FILE: "-r -F",
        Kind.DIRECTORY: "-x -a '(__fish_complete_directories)'",
        Kind.COMMAND: "-x -a '(__fish_complete_command)'",
    }
    value = f"{takes.get(of_flag(flag), '-x')} " if flag.metavar else ""
    return f"{names} {value}-d {_quoted(brief(flag))}"


def _quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
