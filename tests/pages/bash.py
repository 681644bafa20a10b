"""The completion script for bash, from 3.2 on, which macOS has; it needs nothing else."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lrguard.cli.tree import Command
from tests.pages.values import HEADER, Kind, of_arguments, of_flag

_SCRIPT = r"""# bash @HEADER@

# Sets `flags`, and `kind` and `choices` of the value of option $2, and of arguments, of command $1.
_lrguard_table() {
    flags='' kind='' choices='' argument='' argument_choices='' runs=''
    case $1 in
@TABLE@
    esac
}

# The session that the words name, as far as it can be told without evaluating anything.
_lrguard_session() {
    local i word
    session=''
    for ((i = 1; i < ${#line[@]} - 1; i++)); do
        word=${line[i]}
        case $word in
        -s | --session) session=${line[i + 1]} ;;
        --session=*) session=${word#*=} ;;
        -s?*) session=${word#-s} ;;
        --) break ;;
        esac
    done
    session=${session//[\"\'\\]/}
    session=${session/#\~\//$HOME/}
}

_lrguard_ids() {
    local program=${line[0]/#\~\//$HOME/} session id rest
    command -v -- "$program" >/dev/null || program=lrguard
    _lrguard_session
    echo last
    "$program" list --max-tokens 0 ${session:+-s "$session"} </dev/null 2>/dev/null | while read -r id rest; do
        [[ $id =~ ^[0-9a-f]{8,64}$ ]] && echo "$id"
    done
}

# Completes $2 as what $1 says; $3 are the words to choose from.
_lrguard_value() {
    case $1 in
    words) COMPREPLY=($(compgen -P "$prefix" -W "$3" -- "$2")) ;;
    directory) compopt -o dirnames 2>/dev/null ;;
    command) COMPREPLY=($(compgen -c -- "$2")) ;;
    response)
        [[ $2 == */* ]] || COMPREPLY=($(compgen -P "$prefix" -W "$(_lrguard_ids)" -- "$2"))
        ((${#COMPREPLY[@]})) || compopt -o default 2>/dev/null
        ;;
    file) compopt -o default 2>/dev/null ;;
    esac
}

_lrguard() {
    local line=() rest=${COMP_LINE:0:COMP_POINT} trimmed word i index=()
    local flags kind choices argument argument_choices runs command='' first=1 ended='' count=0 prefix='' cur
    COMPREPLY=()
    # The words as the shell will see them: readline cuts them at `=` and `:` too.
    for ((i = 0; i <= COMP_CWORD; i++)); do
        word=${COMP_WORDS[i]}
        trimmed=${rest#"${rest%%[![:space:]]*}"}
        ((i == COMP_CWORD)) && word=$trimmed
        if ((i && ${#trimmed} == ${#rest})); then
            line[${#line[@]} - 1]+=$word
        else
            line+=("$word") index+=("$i")
        fi
        rest=${trimmed#"$word"}
    done
    cur=${line[${#line[@]} - 1]}
    case " @COMMANDS@ " in
    *" ${line[1]} "*) ((${#line[@]} > 2)) && command=${line[1]} first=2 ;;
    esac
    local option=''
    for ((i = first; i < ${#line[@]} - 1; i++)); do
        word=${line[i]}
        _lrguard_table "$command" "$word"
        if [[ $ended || $word != -?* ]]; then
            count=$((count + 1))
            [[ $runs ]] && break
        elif [[ $word == -- ]]; then
            ended=1
        elif [[ $kind ]]; then
            ((i == ${#line[@]} - 2)) && option=$word
            i=$((i + 1))
        fi
    done
    if [[ $option ]]; then
        _lrguard_table "$command" "$option"
        _lrguard_value "$kind" "$cur" "$choices"
        return
    fi
    _lrguard_table "$command" ''
    if [[ $runs ]] && ((count)); then
        # The command that is run completes its own words.
        if declare -F _command_offset >/dev/null; then
            _command_offset "${index[i]}"
        else
            compopt -o default 2>/dev/null
        fi
    elif [[ ! $ended && $cur == --*=* ]]; then
        _lrguard_table "$command" "${cur%%=*}"
        [[ $COMP_WORDBREAKS == *=* ]] || prefix=${cur%%=*}=
        _lrguard_value "$kind" "${cur#*=}" "$choices"
    elif [[ ! $ended && $cur == -* ]]; then
        COMPREPLY=($(compgen -W "$flags" -- "$cur"))
    elif [[ $argument == pattern ]]; then
        ((count)) && _lrguard_value response "$cur"
    elif [[ ! $command ]] && ((${#line[@]} == 2)); then
        COMPREPLY=($(compgen -W '@COMMANDS@' -- "$cur"))
        ((${#COMPREPLY[@]})) || compopt -o default 2>/dev/null
    else
        _lrguard_value "$argument" "$cur" "$argument_choices"
    fi
}

if type compopt >/dev/null 2>&1; then
    complete -F _lrguard lrguard
else
    complete -o default -F _lrguard lrguard
fi
"""


def script(commands: Sequence[Command]) -> str:
    """The script."""
    table = "\n".join(line for command in commands for line in _case(command))
    names = " ".join(command.name for command in commands if command.name)
    return _SCRIPT.replace("@HEADER@", HEADER).replace("@TABLE@", table).replace("@COMMANDS@", names)


def _case(command: Command) -> Iterator[str]:
    """One command's line of the table."""
    yield f"    {command.name or repr('')})"
    flags = [name for flag in command.flags for name in flag.names]
    yield f"        flags='{' '.join(sorted(flags, key=lambda name: not name.startswith('--')))}'"
    kind, argument = of_arguments(command)
    yield f"        argument={kind.value}{' runs=1' if command.runs_another else ''}"
    if argument and kind is Kind.WORDS:
        yield f"        argument_choices='{' '.join(argument.choices)}'"
    kinds: dict[tuple[Kind, tuple[str, ...]], list[str]] = {}
    for flag in command.flags:
        if flag.metavar:
            kinds.setdefault((of_flag(flag), flag.choices), []).extend(flag.names)
    if kinds:
        yield "        case $2 in"
        for (of, choices), names in kinds.items():
            words = f" choices='{' '.join(choices)}'" if choices else ""
            yield f"        {' | '.join(names)}) kind={of.value}{words} ;;"
        yield "        esac"
    yield "        ;;"
