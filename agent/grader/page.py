"""An HTML page of graded answers: each claim beside its evidence, with the words that support it marked.

It is written piece by piece, so that a file of any size can be graded; the summary is written last and shown
first. It loads nothing from anywhere.
"""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Mapping
from typing import TextIO

from agent.grader.files import GradedItem
from agent.grader.grades import ClaimGrade
from agent.grader.meaning import NEGATIONS, is_content, key_of, read

_WORD = re.compile(r"[^\W_]+(?:[.,:'’-][^\W_]+)*|[€$£¥%°]")
_AROUND = 300
"""Characters of evidence shown on each side of the quote."""

_HEAD = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Graded answers</title><style>
:root { color-scheme: light dark; --line: #8884; --soft: #8882; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 76rem; margin: 0 auto; padding: 1rem;
       display: flex; flex-direction: column; gap: 1rem; }
#summary { order: -1; }
h1 { font-size: 1.3rem; margin: 0 0 .5rem; } h2 { font-size: 1rem; margin: 0 0 .5rem; }
article { border: 1px solid var(--line); border-radius: .5rem; padding: .8rem 1rem; }
.pair { display: grid; grid-template-columns: 1fr 1fr; gap: 1rem; padding: .6rem 0;
        border-top: 1px solid var(--line); }
@media (max-width: 45rem) { .pair { grid-template-columns: 1fr; } }
.tag { display: inline-block; border-radius: .3rem; padding: 0 .4rem; font-weight: 600; color: #fff; }
.supported { background: #1a7f37; } .uncertain { background: #9a6700; }
.contradicted, .unsupported, .uncited, .unknown_id { background: #cf222e; }
mark { background: #2da44e55; color: inherit; border-radius: .2rem; }
.quote { background: var(--soft); } .away { text-decoration: underline wavy #cf222e; }
.reason, .id { opacity: .75; font-size: .9em; } p { margin: .2rem 0; }
table { border-collapse: collapse; } td, th { padding: .1rem .8rem .1rem 0; text-align: left; }
</style></head><body>
"""


class Page:
    """Writes the page while answers are graded.

    Args:
        file: Where to write; the caller opens and closes it.
    """

    def __init__(self, file: TextIO) -> None:
        self._file = file
        self._answers = 0
        self._passed = 0
        self._verdicts: Counter[str] = Counter()
        file.write(_HEAD)

    def add(self, graded: GradedItem) -> None:
        """Write one answer."""
        self._answers += 1
        self._passed += all(one.verdict == "supported" for one in graded.claims)
        self._verdicts.update(one.verdict for one in graded.claims)
        name = graded.item.id if graded.item.id is not None else self._answers
        asked = f"<h2>{html.escape(graded.item.question)}</h2>" if graded.item.question else ""
        pairs = "".join(_pair(one, graded.evidence) for one in graded.claims)
        self._file.write(f'<article><p class="id">{html.escape(str(name))}</p>{asked}{pairs}</article>\n')

    def end(self) -> None:
        """Write the summary and close the page."""
        rows = "".join(
            f'<tr><td><span class="tag {verdict}">{verdict}</span></td><td>{count}</td></tr>'
            for verdict, count in sorted(self._verdicts.items())
        )
        self._file.write(
            f'<header id="summary"><h1>{self._passed} of {self._answers} answers are supported throughout'
            f"</h1><table>{rows}</table></header>\n</body></html>\n"
        )


def _pair(one: ClaimGrade, evidence: Mapping[str, str]) -> str:
    cited = [name for name in one.citations if name in evidence]
    held = frozenset[str]().union(*(_keys(evidence[name]) for name in cited))
    ids = f" [{html.escape(', '.join(one.citations))}]" if one.citations else ""
    left = (
        f'<div><p>{_words(one.text, held, missing=bool(cited))}<span class="id">{ids}</span></p>'
        f'<p><span class="tag {one.verdict}">{one.verdict}</span> {one.score:.2f} '
        f'<span class="reason">{html.escape(one.reason)}</span></p></div>'
    )
    return f'<div class="pair">{left}<div>{_evidence(one, cited, evidence)}</div></div>'


def _evidence(one: ClaimGrade, cited: list[str], evidence: Mapping[str, str]) -> str:
    said = _keys(one.text)
    for name in cited:
        start = evidence[name].find(one.quote) if one.quote else -1
        if start >= 0:
            text, end = evidence[name], start + len(one.quote)
            before, after = text[max(0, start - _AROUND) : start], text[end : end + _AROUND]
            return (
                f'<p class="id">{html.escape(name)}</p><p>{"… " if start > _AROUND else ""}'
                f'{html.escape(before)}<span class="quote">{_words(one.quote, said)}</span>'
                f"{html.escape(after)}{' …' if len(text) > end + _AROUND else ''}</p>"
            )
    shown = "".join(
        f'<p class="id">{html.escape(name)}</p><p>{_words(evidence[name][: 2 * _AROUND], said)}</p>'
        for name in cited[:3]
    )
    return shown or '<p class="reason">no evidence</p>'


def _keys(text: str) -> frozenset[str]:
    words = frozenset(key_of(match[0].lower()) for match in _WORD.finditer(text))
    return words | frozenset(value.key for value in read(text[:1000]).values)


def _words(text: str, held: frozenset[str], *, missing: bool = False) -> str:
    """The text with each word marked that the other side has, and if asked each that it has not."""
    parts, position = [], 0
    for match in _WORD.finditer(text):
        parts.append(html.escape(text[position : match.start()]))
        word, position = html.escape(match[0]), match.end()
        key = key_of(match[0].lower())
        if key in held:
            parts.append(f"<mark>{word}</mark>")
        elif missing and (is_content(key) or key in NEGATIONS):
            parts.append(f'<span class="away">{word}</span>')
        else:
            parts.append(word)
    return "".join(parts) + html.escape(text[position:])
