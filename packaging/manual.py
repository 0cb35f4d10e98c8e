#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Manual pages and bash completion, made from what the programs say with --help, so that they never say another thing.

usage: manual.py man PROGRAM SECTION    a manual page, in troff, on standard output
       manual.py completion PROGRAM     a completion for bash
"""

import dataclasses
import datetime
import os
import pathlib
import re
import subprocess
import sys

FILES = (
    ("/etc/hilgate/hilgate.yaml", "the configuration of the service hilgate; hilgate@NAME has /etc/hilgate/NAME.yaml"),
    ("/run/hilgate/", "control sockets of runs"),
    ("/usr/share/hilgate/profiles/", "radio profiles"),
    ("/usr/share/hilgate/schema/", "JSON schemas of the files that hilgate reads"),
    ("/usr/share/hilgate/examples/", "configurations to start from"),
)
EXIT = (("0", "success"), ("1", "the run failed"), ("2", "the command or the configuration is wrong"))
PAGES = ("hilgate(1)", "hilgated(8)", "hilgate-ns3(1)", "hilgate-gz(1)", "hilgate-ros2(1)", "hilgate-site(1)",
         "hilgate-place(1)")
HEADINGS = ("Positionals:", "Options:", "Subcommands:")


@dataclasses.dataclass
class Command:
    """The --help of a command: `parts` has (name, text) under each heading."""
    words: list
    about: str
    usage: str
    parts: dict
    commands: list = dataclasses.field(default_factory=list)


def read_parts(lines):
    """The two columns under each heading; a long name has its text on the next line."""
    parts, heading = {}, None
    for line in lines:
        if line in HEADINGS:
            heading = parts.setdefault(line.rstrip(":"), [])
        elif heading is not None and re.match(r"  \S", line):
            name, _, text = line[2:].partition("  ")
            heading.append([name.strip(), text.strip()])
        elif heading and line.startswith("   ") and line.strip():
            heading[-1][1] = f"{heading[-1][1]} {line.strip()}".strip()
    return parts


def read_command(program, words):
    """A command and those below it, as the program describes them."""
    said = subprocess.run([program, *words, "--help"], capture_output=True, text=True, check=True).stdout.splitlines()
    about = " ".join(line for line in said[:next(i for i, line in enumerate(said) if line.startswith("Usage:"))] if line)
    usage = next(line for line in said if line.startswith("Usage:")).removeprefix("Usage:").strip()
    usage = re.sub(r"^\S*/", "", usage)
    command = Command(words, about, usage, read_parts(said))
    command.commands = [read_command(program, [*words, name]) for name, _ in command.parts.get("Subcommands", [])]
    return command


def leaves(command):
    """The commands that do something, in the order of the help."""
    if not command.commands:
        return [command]
    return [leaf for below in command.commands for leaf in leaves(below)]


def troff(text):
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\\&" + text if text[:1] in (".", "'") else text


def table(rows):
    return [line for name, text in rows for line in (".TP", f".B {troff(name)}", troff(text) or "\\&")]


def takes(command):
    """The rows of a command's own arguments, without --help, which each has."""
    rows = command.parts.get("Positionals", []) + command.parts.get("Options", [])
    return [row for row in rows if not row[0].startswith("-h,")]


def man(program, section):
    name = pathlib.Path(program).name
    top = read_command(program, [])
    release = subprocess.run([program, "--version"], capture_output=True, text=True).stdout.strip() or name
    day = datetime.datetime.fromtimestamp(int(os.environ.get("SOURCE_DATE_EPOCH", "0")), datetime.timezone.utc)
    about = re.sub(r"^[\w-]+: ", "", top.about)
    lines = [f'.TH {name.upper()} {section} "{day:%Y-%m-%d}" "{release}" "hilgate"',
             ".SH NAME", f"{troff(name)} \\- {troff(about)}", ".SH SYNOPSIS"]
    if not top.commands:
        lines += [troff(top.usage), ".SH OPTIONS", *table(takes(top))]
    else:
        lines += [line for leaf in leaves(top) for line in (troff(leaf.usage), ".br")]
        lines += [".SH COMMANDS"]
        for leaf in leaves(top):
            lines += [f".SS {troff(leaf.usage)}", troff(leaf.about), *table(takes(leaf))]
    lines += [".SH FILES", *table(FILES), ".SH EXIT STATUS", *table(EXIT), ".SH SEE ALSO",
              troff(", ".join(page for page in PAGES if page != f"{name}({section})"))]
    return "\n".join(lines) + "\n"


def completed_words(command):
    """What may follow a command: the commands below it, or its options."""
    words = [below.words[-1] for below in command.commands]
    for option, _ in command.parts.get("Options", []):
        words += re.findall(r"--[\w-]+", option.split(" ")[0])
    return " ".join(words)


def completion(program):
    name = pathlib.Path(program).name
    function = "_" + name.replace("-", "_")
    rows, waiting = [], [read_command(program, [])]
    while waiting:
        command = waiting.pop(0)
        rows.append(f'    ["{" ".join([name, *command.words])}"]="{completed_words(command)}"')
        waiting += command.commands
    return f"""# bash completion for {name}
{function}() {{
  local -A words=(
{chr(10).join(rows)}
  )
  local path={name} word
  for word in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
    if [[ -n ${{words[$path $word]+there}} ]]; then path+=" $word"; fi
  done
  mapfile -t COMPREPLY < <(compgen -W "${{words[$path]}}" -- "${{COMP_WORDS[COMP_CWORD]}}")
}}
complete -o default -F {function} {name}
"""


def main(arguments):
    if len(arguments) == 3 and arguments[0] == "man":
        sys.stdout.write(man(arguments[1], arguments[2]))
    elif len(arguments) == 2 and arguments[0] == "completion":
        sys.stdout.write(completion(arguments[1]))
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
