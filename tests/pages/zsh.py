"""The completion script for zsh."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lrguard.cli.tree import Command, Flag
from tests.pages.values import HEADER, Kind, brief, of_arguments, of_flag, repeats

_SCRIPT = r"""#compdef lrguard
# zsh @HEADER@

_lrguard_commands() {
    local -a commands=(
@COMMANDS@
    )
    _describe -t commands command commands
}

# A saved response of the session that is named, or a file.
_lrguard_responses() {
    setopt local_options extended_glob
    local session=${(Q)${opt_args[-s]:-$opt_args[--session]}} line
    local -a ids=(last:'the newest response') fields
    local list="lrguard list --max-tokens 0 ${session:+-s ${(q)${session/#\~\//$HOME/}}}"
    for line in ${(f)"$(_call_program responses $list 2>/dev/null)"}; do
        fields=(${=line})
        [[ $fields[1] == [0-9a-f](#c8,64) ]] && ids+=("$fields[1]:${fields[3]}, ${fields[5]}, ${fields[6]} tokens")
    done
    local found=1
    _describe -V -t responses 'saved response' ids && found=0
    _files && found=0
    return found
}

_lrguard_first() {
    if ((CURRENT == 2)); then
        local found=1
        _lrguard_commands && found=0
        _files && found=0
        return found
    else
        _files
    fi
}

_lrguard() {
    local curcontext=$curcontext name=''
    typeset -A opt_args
    case $words[2] in
    (@NAMES@)
        if ((CURRENT > 2)); then
            name=$words[2]
            shift words
            ((CURRENT--))
            curcontext="${curcontext%:*:*}:lrguard-$name:"
        fi
        ;;
    esac
    case $name in
@CASES@
    esac
}

# Loaded from a folder this is the function's body; else it is read as it stands.
if [[ $funcstack[1] == _lrguard ]]; then
    _lrguard "$@"
else
    compdef _lrguard lrguard
fi
"""


def script(commands: Sequence[Command]) -> str:
    """The script."""
    named = [command for command in commands if command.name]
    listed = "\n".join(f"        {_quoted(f'{command.name}:{command.summary}')}" for command in named)
    cases = "\n".join(line for command in commands for line in _case(command))
    return (
        _SCRIPT.replace("@HEADER@", HEADER)
        .replace("@COMMANDS@", listed)
        .replace("@NAMES@", "|".join(command.name for command in named))
        .replace("@CASES@", cases)
    )


def _case(command: Command) -> Iterator[str]:
    yield f"    ({command.name or repr('')})"
    specifications = [*map(_flag, command.flags), *_arguments(command)]
    yield "        _arguments -s -S : \\"
    yield " \\\n".join(f"            {specification}" for specification in specifications)
    yield "        ;;"


def _flag(flag: Flag) -> str:
    about = brief(flag).replace("[", "\\[").replace("]", "\\]")
    value = f":{flag.metavar}:{_action(of_flag(flag), flag.choices)}" if flag.metavar else ""
    text = _quoted(f"[{about}]{value}")
    names = [_name(name, takes=bool(value)) for name in flag.names]
    others = "*" if flag.repeats else f"({' '.join(flag.names)})" if len(names) > 1 else ""
    before = _quoted(others) if others else ""
    return f"{before}{{{','.join(names)}}}{text}" if len(names) > 1 else f"{before}{names[0]}{text}"


def _name(name: str, *, takes: bool) -> str:
    if not takes:
        return name
    return f"{name}=" if name.startswith("--") else f"{name}+"


def _arguments(command: Command) -> Iterator[str]:
    kind, argument = of_arguments(command)
    if not command.name:
        yield "'::file:_lrguard_first'"
    elif command.runs_another:
        yield "'(-)1:command:_command_names -e'"
        yield "'*::argument:_normal'"
    elif kind is Kind.PATTERN:
        yield "'1:pattern: '"
        yield "'*:saved response:_lrguard_responses'"
    elif argument:
        place = "*" if repeats(argument) else ":" if argument.metavar.startswith("[") else "1"
        yield _quoted(f"{place}:{argument.metavar.strip('[].').lower()}:{_action(kind, argument.choices)}")


def _action(kind: Kind, choices: tuple[str, ...]) -> str:
    actions = {
        Kind.WORDS: f"({' '.join(choices)})",
        Kind.FILE: "_files",
        Kind.DIRECTORY: "_directories",
        Kind.RESPONSE: "_lrguard_responses",
        Kind.COMMAND: "_command_names -e",
    }
    return actions.get(kind, " ")


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"
