"""Answers as notebooks show them."""

from __future__ import annotations

import html
from typing import Any, Iterable, Sequence


def text(what: str) -> str:
    """As it stands in a terminal."""
    return f"<pre>{html.escape(what)}</pre>"


def formulas(latex: str) -> str:
    """The formulas of an answer, as MathJax and KaTeX take them: those of papers stand outside of dollar signs."""
    lines = [line for line in latex.splitlines() if not line.startswith("%")]
    inside = "\n".join(lines).replace("{align*}", "{aligned}")
    return f"$${inside}$$"


def titled(title: str, latex: str) -> str:
    return f"<b>{html.escape(title)}</b>{html.escape(latex)}"


def table(head: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Numbers to the right, what there is none of as a dash."""

    def cell(value: Any) -> str:
        if isinstance(value, float):
            shown = f"{value:.0f}" if 1000 <= abs(value) < 1e6 else f"{value:.3g}"
        else:
            shown = "–" if value is None else str(value)
        side = "left" if isinstance(value, str) else "right"
        return f'<td style="text-align:{side}">{html.escape(shown)}</td>'

    names = "".join(f"<th>{html.escape(name)}</th>" for name in head)
    body = "".join(f"<tr>{''.join(cell(value) for value in row)}</tr>" for row in rows)
    return f"<table><thead><tr>{names}</tr></thead><tbody>{body}</tbody></table>"


# A page of a megabyte, most of which is program, is kept packed.
UNPACK = """<script>(async () => {
const packed = Uint8Array.from(atob("%s"), c => c.charCodeAt(0));
const page = await new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
document.open(); document.write(page); document.close();
})();</script>"""


def frame(page: str, height: int) -> str:
    """A page of its own inside of another one."""
    import base64
    import gzip

    packed = base64.b64encode(gzip.compress(page.encode(), mtime=0)).decode()
    inside = html.escape(UNPACK % packed, quote=True)
    return f'<iframe srcdoc="{inside}" width="100%" height="{height}" style="border:0"></iframe>'


class Page:
    """A page with figures and the motion, which notebooks show in a frame."""

    def __init__(self, content: str, height: int) -> None:
        self.content = content
        self.height = height

    def __repr__(self) -> str:
        return f"<Page of {len(self.content) // 1000} KB, for notebooks>"

    def _repr_html_(self) -> str:
        return frame(self.content, self.height)
