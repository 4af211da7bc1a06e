"""holonom reproduce: runs items, prints a line for each, and writes data, figures and a page."""

import os
import signal
import sys


def interrupted(*_):
    """Runs that go on end by themselves, or by the same signal."""
    os.write(2, b"holonom: interrupted\n")
    os._exit(130)


if __name__ == "__main__":  # before what takes its time to be imported; the program has held these signals
    for stop in (signal.SIGINT, signal.SIGTERM):
        signal.signal(stop, interrupted)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, (signal.SIGINT, signal.SIGTERM))

import argparse  # noqa: E402
import concurrent.futures  # noqa: E402
import difflib  # noqa: E402
import importlib  # noqa: E402
import pathlib  # noqa: E402
import re  # noqa: E402
import threading  # noqa: E402
import time  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import item as items  # noqa: E402
import page  # noqa: E402
import program as cli  # noqa: E402
import style  # noqa: E402
from papers import PAPERS  # noqa: E402


def refuse(what):
    """Bad input: a message, and the program's exit code for it."""
    print(f"holonom: {what}", file=sys.stderr)
    raise SystemExit(2)


def cannot_print(error):
    """Nobody waits for the items that are still at work; what is in the buffer is not tried again."""
    os.write(2, f"holonom: standard output: writing failed ({error.strerror})\n".encode())
    os._exit(1)


def load():
    """All items, in the order of the papers."""
    for paper in PAPERS:
        folder = HERE / paper.replace("-", "_")
        for module in sorted(path.stem for path in folder.glob("*.py")):
            importlib.import_module(f"{folder.name}.{module}")
    kinds = ["table", "figure", "example", "equation", "theorem"]

    def place(one):
        """Tables and figures first, each kind by its numbers."""
        kind = next((k for k, word in enumerate(kinds) if one.name.startswith(word)), len(kinds))
        return list(PAPERS).index(one.paper), kind, [int(n) for n in re.findall(r"\d+", one.name)], one.name

    return sorted(items.all_items(), key=place)


def chosen(known, names):
    """PAPER or PAPER/ITEM; everything if there is no name."""
    if not names:
        return known
    found = []
    for name in names:
        of = [one for one in known if name in (one.paper, one.key)]
        if not of:
            words = [*PAPERS, *(one.key for one in known)]
            near = difflib.get_close_matches(name, words, 1)
            hint = f" Did you mean '{near[0]}'?" if near else " 'holonom reproduce --list' shows all."
            refuse(f"there is no paper and no item '{name}'.{hint}")
        found += [one for one in of if one not in found]
    return found


def measure(one, program, quick, mutation=None):
    """The result of an item; with a mutation, and the lab that knows whether it had an effect."""
    result = items.Result(one)
    lab = items.Lab(program, result, quick, mutation)
    began = time.monotonic()
    try:
        one.measure(lab)
    except cli.Failed as e:
        result.error = str(e)
    except Exception as e:  # a wrong answer of the program may have any shape; the item fails, others go on
        result.error = f"{type(e).__name__}: {e}"
    result.seconds = time.monotonic() - began
    return result, lab


def draw(result, folder):
    for name, paint in result.figures:
        path = folder / result.item.paper / f"{name}.png"
        path.parent.mkdir(parents=True, exist_ok=True)
        style.save(paint, path)
        result.drawn.append(name)


def show(result):
    marks = sum(check.holds for check in result.checks)
    print(f"  {page.MARK[result.verdict]} {result.item.key:44} {result.verdict:26} "
          f"{marks} of {len(result.checks)} checks, {result.seconds:.1f} s", flush=True)
    if result.error:
        print(f"      {result.error}", flush=True)
    for check in result.checks:
        if not check.holds:
            print(f"      {check.what}: measured {check.measured}, expected {check.expected or check.printed} "
                  f"{check.remark}", flush=True)


def details(result):
    """Each number, for whoever asked for one item."""
    print(f"\n{result.item.title}\n\n{result.item.claim}\n")
    width = max(len(check.what) for check in result.checks) if result.checks else 0
    print(f"  {'':{width}}  {'printed':>14}  {'expected':>18}  {'measured':>18}")
    for check in result.checks:
        mark = "differs" if check.holds and check.differs else "holds" if check.holds else "FAILS"
        print(f"  {check.what:{width}}  {check.printed:>14}  {check.expected:>18}  {check.measured:>18}  {mark}"
              f"{': ' + check.remark if check.remark else ''}")
    print("\n" + "\n".join(f"  $ {line}" for line in result.commands))


def prepared(folder, force):
    folder = pathlib.Path(folder)
    if (folder / "index.html").exists() and not force:
        refuse(f"{folder}/index.html exists; use --force to overwrite it, or another name")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as e:
        refuse(f"cannot make the folder {folder}: {e.strerror}")
    return folder


def write(folder, results, quick, everything):
    how = "quick runs" if quick else "full runs"
    what = "Every table and figure of five papers" if everything else f"{page.items_of(results)} of five papers"
    head = (f"{what}, measured with the program and held against what is printed there ({how}). Where a number cannot be reproduced, the evidence stands beside it.")
    page.write_tables(results, folder)
    (folder / "README.md").write_text(page.markdown(PAPERS, results, head), encoding="utf-8")
    (folder / "index.html").write_text(page.as_html(PAPERS, results, head), encoding="utf-8")


def main(arguments):
    parser = argparse.ArgumentParser(prog="holonom reproduce", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="PAPER[/ITEM]", help="what to reproduce; everything if left out")
    parser.add_argument("--list", action="store_true", help="show papers and items, run nothing")
    parser.add_argument("--quick", action="store_true", help="shorter runs, and only items that have them")
    parser.add_argument("--out", metavar="DIR", help="write data, figures and a page to this folder")
    parser.add_argument("--force", action="store_true", help="overwrite the page in that folder")
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1, help="items at a time")
    parser.add_argument("--program", required=True, help=argparse.SUPPRESS)
    o = parser.parse_args(arguments)
    known = load()
    asked = chosen(known, o.names)
    named = asked
    if o.quick:
        asked = [one for one in asked if one.quick]
        if not asked:
            refuse(f"there is no quick form of {', '.join(one.key for one in named)}; leave out --quick")
    if o.list:
        for one in asked:
            print(f"{one.key:46} {one.title}")
        return 0
    if o.out and not style.available():
        print("holonom: no figures without matplotlib (Debian: python3-matplotlib)", file=sys.stderr)
    folder = prepared(o.out, o.force) if o.out else None
    program = cli.Program(o.program)
    if len(asked) > 1:
        print(f"{len(asked)} items", flush=True)
    results = {}
    telling = threading.Lock()

    def work(one):
        result, _ = measure(one, program, o.quick)
        if folder and style.available():
            try:
                draw(result, folder)
            except Exception as e:  # the item fails, others go on
                result.error = f"a figure could not be drawn: {type(e).__name__}: {e}"
        with telling:
            show(result)
            results[one.key] = result

    with concurrent.futures.ThreadPoolExecutor(max_workers=max(1, o.threads)) as pool:
        try:
            list(pool.map(work, asked))
        except OSError as e:  # of show; an item keeps its own
            cannot_print(e)
    ordered = [results[one.key] for one in asked]
    if o.names and len(ordered) <= 3:
        for result in ordered:
            details(result)
    print(f"\n{page.summary(ordered)}")
    if folder:
        try:
            write(folder, ordered, o.quick, len(named) == len(known))
        except OSError as e:
            print(f"holonom: the page could not be written: {e}", file=sys.stderr)
            return 1
        print(f"page: {folder / 'index.html'}")
    return 3 if any(result.failed for result in ordered) else 0


if __name__ == "__main__":
    try:
        code = main(sys.argv[1:])
        sys.stdout.flush()
    except OSError as e:
        if e.filename is not None:  # no stream
            raise
        cannot_print(e)
    sys.exit(code)
