"""Runs two commands in turn and says how they compare: ratios from one run, never seconds from two.

    python bench/ratio.py [-n PAIRS] -- COMMAND… -- OTHER COMMAND…

The two alternate, and every second pair begins with the other one, so that what else the machine does falls on
both. The ratio is the median of the pairs' ratios; where other work disturbs them, the one of the two shortest
runs tells more, and is printed beside it. Wall clock, processor time (user and system, children
included) and peak memory come from the kernel's account of each process.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tools import peers  # noqa: E402 - found only now

PAIRS = 7
# what is installed has its bytecode; a checkout has it after the warm run, unless this forbids it
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
# as the installed command begins; `-m` would load runpy first
COMMAND = "import sys; from verify.__main__ import main; sys.exit(main())"


@dataclass(frozen=True, slots=True)
class Run:
    """What one process took. `said` is what it wrote."""

    wall: float
    cpu: float
    rss: int
    said: str = ""


@dataclass(frozen=True, slots=True)
class Side:
    """A name and something that can be run again and again."""

    name: str
    run: Callable[[], Run]


def once(command: Sequence[str]) -> Run:
    """Run it to its end; anything but exit 0 ends the bench."""
    started = time.perf_counter()
    with subprocess.Popen(
        command, cwd=ROOT, env=ENVIRONMENT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True
    ) as process:
        said = process.stdout.read() if process.stdout else ""
        _, status, used = os.wait4(process.pid, 0)
        wall = time.perf_counter() - started
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"exit {process.returncode}: {' '.join(command)}\n{said[-2000:]}")
    return Run(wall, used.ru_utime + used.ru_stime, used.ru_maxrss * 1024, said)


def command(name: str, *words: str, before: Callable[[], None] | None = None) -> Side:
    """A command line as a side; `before` prepares each run and is not counted."""

    def run() -> Run:
        if before:
            before()
        return once(words)

    return Side(name, run)


def told(name: str, *words: str) -> Side:
    """A command that measures itself: it prints the seconds that count."""

    def run() -> Run:
        done = once(words)
        return Run(float(done.said.split()[-1]), done.cpu, done.rss, done.said)

    return Side(name, run)


def modseal(*words: str, before: Callable[[], None] | None = None) -> Side:
    """Ours, from this checkout, by this Python."""
    return command("modseal", sys.executable, "-c", COMMAND, *words, before=before)


def peer(name: str, *words: str, before: Callable[[], None] | None = None) -> Side:
    """A real tool; without it the bench says what to type."""
    found = peers.find(peers.load()[name], peers.cache_folder())
    if found is None:
        sys.exit(f"needs {name}: run tools/peers {name}")
    return command(name, str(found), *words, before=before)


def compare(title: str, ours: Side, theirs: Side, *, target: str = "", pairs: int = PAIRS) -> float:
    """One warm run of each, then pairs; print the account and give the ratio."""
    for side in (ours, theirs):
        side.run()
    taken: dict[str, list[Run]] = {"ours": [], "theirs": []}
    for turn in range(pairs):
        order = [("ours", ours), ("theirs", theirs)]
        for key, side in order if turn % 2 == 0 else reversed(order):
            taken[key].append(side.run())
    ratios = [a.wall / b.wall for a, b in zip(taken["ours"], taken["theirs"], strict=True)]
    middle = statistics.median(ratios)
    print(f"\n{title}")
    print(account(ours.name, taken["ours"]))
    print(account(theirs.name, taken["theirs"]))
    goal = f"  (target {target})" if target else ""
    print(
        f"  ratio {middle:.2f}  from {min(ratios):.2f} to {max(ratios):.2f}, {pairs} pairs; "
        f"of the shortest {shortest(taken['ours']) / shortest(taken['theirs']):.2f}{goal}",
        flush=True,
    )
    return middle


def shortest(runs: list[Run]) -> float:
    """The wall clock of the run that was disturbed least."""
    return min(run.wall for run in runs)


def account(name: str, runs: list[Run]) -> str:
    """One line: medians, and the highest peak."""
    wall = statistics.median(run.wall for run in runs)
    cpu = statistics.median(run.cpu for run in runs)
    peak = max(run.rss for run in runs) / 1e6
    return f"  {name:28} wall {wall:8.3f} s   cpu {cpu:8.3f} s   peak {peak:7.1f} MB"


def main(argv: list[str]) -> int:
    """The command line: words between two `--`, and words after."""
    pairs = PAIRS
    if argv[:1] == ["-n"]:
        pairs, argv = int(argv[1]), argv[2:]
    if argv[:1] != ["--"] or "--" not in argv[1:]:
        sys.exit("usage: python bench/ratio.py [-n PAIRS] -- COMMAND… -- OTHER COMMAND…")
    middle = argv.index("--", 1)
    first, second = argv[1:middle], argv[middle + 1 :]
    compare("ratio of the two", command(first[0], *first), command(second[0], *second), pairs=pairs)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
