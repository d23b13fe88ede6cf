"""`python -m core.papers [PAPER [FIGURE]]`: list the papers' figures and tables, or compute one into CSV and HTML."""

import argparse
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

from core.devices import use_one_thread
from core.names import PAPERS
from core.papers import Entry, Progress, entries, find
from core.papers.registry import FIDELITIES


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; return its exit code: 0, or 2 after one sentence on what was wrong with the arguments."""
    options = _parser().parse_args(arguments)
    try:
        if options.figure is None:
            print(_listing(entries(options.paper)))
            return 0
        entry = find(options.paper, options.figure)
        stream = entry.stream(options.fidelity, options.seed)
    except ValueError as error:
        print(error, file=sys.stderr)
        return 2
    _compute(entry, stream, options.out)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("python -m core.papers", description=__doc__)
    parser.add_argument("paper", nargs="?", help="key of a paper; without it, everything is listed")
    parser.add_argument("figure", nargs="?", help="name of a figure or table; without it, the paper's are listed")
    parser.add_argument("--fidelity", choices=FIDELITIES, default="quick", help="default: quick")
    parser.add_argument("--seed", type=int, default=0, help="fixes every random draw (default: 0)")
    parser.add_argument("--out", type=Path, default=Path(), metavar="DIR", help="folder for the files (default: here)")
    return parser


def _listing(listed: tuple[Entry, ...]) -> str:
    width = max(len(entry.name) for entry in listed)
    number_width = max(len(entry.number) for entry in listed)
    lines = []
    for key in dict.fromkeys(entry.paper for entry in listed):
        lines += ["", *textwrap.wrap(f"{key}: {PAPERS[key].title} (arXiv:{PAPERS[key].arxiv})", 118)]
        for entry in listed:
            if entry.paper == key:
                head = f"  {entry.name:{width}}  {entry.number:{number_width}}  "
                lines += textwrap.wrap(entry.shows, 118, initial_indent=head, subsequent_indent=" " * len(head))
    lines += ["", "Compute one: python -m core.papers PAPER NAME --fidelity quick --seed 0 --out DIR"]
    return "\n".join(lines[1:])


def _compute(entry: Entry, stream: Iterator[Progress], folder: Path) -> None:
    # Torch and Plotly take their time to import, and listing needs neither.
    from core.figures import to_html

    use_one_thread()
    for fraction, result in stream:
        _show_progress(entry.name, fraction)
    folder.mkdir(parents=True, exist_ok=True)
    for suffix, text in (("csv", result.to_csv()), ("html", to_html(result))):
        path = folder / f"{entry.paper}_{entry.name}.{suffix}"
        path.write_text(text, encoding="utf-8")
        print(path)
    print(textwrap.fill(result.verdict, 118))


def _show_progress(name: str, fraction: float, width: int = 40) -> None:
    done = round(width * fraction)
    end = "\n" if fraction == 1 else ""
    print(f"\r{name} [{'#' * done}{'.' * (width - done)}] {fraction:4.0%}", end=end, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
