"""The page: every item with what is printed, what was measured, and the verdict. As Markdown and as HTML."""

import csv
import html

MARK = {
    "reproduced": "✓",
    "reproduced statistically": "≈",
    "reproduced in part": "◐",
    "not reproduced": "✗",
    "FAILS": "!",
}


def counts(results):
    total = {}
    for result in results:
        total[result.verdict] = total.get(result.verdict, 0) + 1
    return ", ".join(f"{total[verdict]} {verdict}" for verdict in MARK if verdict in total)


def items_of(results):
    return "1 item" if len(results) == 1 else f"{len(results)} items"


def summary(results):
    return f"{items_of(results)}: {counts(results)}"


def anchor(result):
    return result.item.key.replace("/", "-").replace(".", "-")


def shown_commands(result, most=24):
    """An item may ask for hundreds of runs that differ in a number."""
    left = len(result.commands) - most
    return result.commands if left <= 1 else [*result.commands[:most], f"... and {left} more of this kind"]


def anchor_text(verdict):
    return f"{MARK[verdict]} {verdict}"


def write_tables(results, folder):
    for result in results:
        for name, columns in result.tables.items():
            path = folder / result.item.paper / f"{name}.csv"
            path.parent.mkdir(parents=True, exist_ok=True)
            with open(path, "w", newline="", encoding="utf-8") as file:
                rows = csv.writer(file, lineterminator="\n")
                rows.writerow(columns)
                rows.writerows(zip(*columns.values()))


def _cell(text):
    return text.replace("|", "\\|")


def markdown(papers, results, head):
    lines = ["# Reproduction", "", head, "", f"{summary(results)}.", ""]
    lines += ["| paper | item | verdict |", "|---|---|---|"]
    for result in results:
        lines.append(f"| {papers[result.item.paper].short} | [{_cell(result.item.title)}](#{anchor(result)}) | "
                     f"{anchor_text(result.verdict)} |")
    for key, paper in papers.items():
        of = [result for result in results if result.item.paper == key]
        if not of:
            continue
        lines += ["", f"## {paper.short}", "", paper.citation]
        for result in of:
            lines += ["", f'<a id="{anchor(result)}"></a>', "", f"### {result.item.title}", "",
                      f"**{anchor_text(result.verdict)}** · `holonom reproduce {result.item.key}`", "", result.item.claim,
                      ""]
            if result.error:
                lines += [f"Error: {result.error}", ""]
            lines += ["| | printed | expected | measured | |", "|---|---|---|---|---|"]
            for c in result.checks:
                mark = "differs" if c.holds and c.differs else "holds" if c.holds else "**FAILS**"
                remark = f": {c.remark}" if c.remark else ""
                lines.append(f"| {_cell(c.what)} | {_cell(c.printed)} | {_cell(c.expected)} | {_cell(c.measured)} | "
                             f"{mark}{_cell(remark)} |")
            lines += [f"\n![{_cell(result.item.title)}]({result.item.paper}/{name}.png)" for name in result.drawn]
            lines += ["", "<details><summary>What was run</summary>", "", "```plain", *shown_commands(result), "```", "",
                      "</details>"]
    return "\n".join(lines) + "\n"


STYLE = """
:root { color-scheme: light dark; --ink: #1d2733; --paper: #fff; --faint: #6b7785; --line: #d9dee4; --good: #2f7d4a; --odd: #9a6a00; --bad: #b3261e; }
@media (prefers-color-scheme: dark) { :root { --ink: #e3e8ee; --paper: #14191f; --faint: #94a1b0; --line: #303a45; --good: #6cc48c; --odd: #e0b050; --bad: #ff8a80; } }
body { font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
h1, h2, h3 { line-height: 1.2; } h2 { margin-top: 3rem; border-bottom: 1px solid var(--line); } h3 { margin-top: 2.2rem; }
table { border-collapse: collapse; font-size: 14px; width: 100%; margin: .8rem 0; } th { text-align: left; font-weight: 600; color: var(--faint); }
td, th { padding: .25rem .6rem .25rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
td.number { font-variant-numeric: tabular-nums; white-space: nowrap; } td.remark { color: var(--faint); }
.verdict { font-weight: 600; white-space: nowrap; } .good { color: var(--good); } .odd { color: var(--odd); } .bad { color: var(--bad); }
.wide { overflow-x: auto; } p { overflow-wrap: anywhere; }
img { max-width: 100%; background: #fff; border-radius: 4px; margin: .5rem 0; } pre { overflow-x: auto; font-size: 13px; }
code { font-size: 14px; } details { color: var(--faint); } .claim { white-space: pre-line; } a { color: inherit; }
"""

COLOUR = {"reproduced": "good", "reproduced statistically": "good", "reproduced in part": "odd", "not reproduced": "odd",
          "FAILS": "bad"}


def as_html(papers, results, head):
    e = html.escape

    def verdict(result):
        return f'<span class="verdict {COLOUR[result.verdict]}">{anchor_text(result.verdict)}</span>'

    out = ["<!doctype html><html lang=en><meta charset=utf-8><meta name=viewport content='width=device-width'>"
           f"<title>Holonom: reproduction of five papers</title><style>{STYLE}</style>", "<h1>Reproduction</h1>",
           f"<p>{e(head)}</p><p>{e(summary(results))}.</p>",
           "<div class=wide><table><tr><th>paper<th>item<th>verdict</tr>"]
    for key, paper in papers.items():
        of = [result for result in results if result.item.paper == key]
        for k, result in enumerate(of):
            head_cell = f"<td rowspan={len(of)}>{e(paper.short)}" if k == 0 else ""
            out.append(f"<tr>{head_cell}<td><a href='#{anchor(result)}'>{e(result.item.title)}</a>"
                       f"<td>{verdict(result)}</tr>")
    out.append("</table></div>")
    for key, paper in papers.items():
        of = [result for result in results if result.item.paper == key]
        if not of:
            continue
        out.append(f"<h2>{e(paper.short)}</h2><p>{e(paper.citation)}</p>")
        for result in of:
            out.append(f"<h3 id='{anchor(result)}'>{e(result.item.title)}</h3><p>{verdict(result)} · "
                       f"<code>holonom reproduce {e(result.item.key)}</code></p>"
                       f"<p class=claim>{e(result.item.claim)}</p>")
            if result.error:
                out.append(f"<p class=bad>{e(result.error)}</p>")
            out.append("<div class=wide><table><tr><th><th>printed<th>expected<th>measured<th></tr>")
            for c in result.checks:
                mark, colour = (("differs", "odd") if c.differs else ("holds", "good")) if c.holds else ("FAILS", "bad")
                out.append(f"<tr><td>{e(c.what)}<td class=number>{e(c.printed)}<td class=number>{e(c.expected)}"
                           f"<td class=number>{e(c.measured)}<td class=remark><span class={colour}>{mark}</span> "
                           f"{e(c.remark)}</tr>")
            out.append("</table></div>")
            out += [f"<img loading=lazy alt='{e(result.item.title, quote=True)}' src='{result.item.paper}/{name}.png'>"
                    for name in result.drawn]
            lines = "\n".join(shown_commands(result))
            out.append(f"<details><summary>What was run</summary><pre>{e(lines)}</pre></details>")
    return "\n".join(out) + "\n</html>\n"
