"""Formulas as MathML, written when the site is built: browsers show it without any script."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from docutils import nodes
from latex2mathml.converter import convert
from sphinx.util import logging

if TYPE_CHECKING:
    from sphinx.application import Sphinx

__all__ = ["setup", "to_mathml"]

logger = logging.getLogger(__name__)

# What latex2mathml does not know, in words that it does.
_SPELLINGS = {
    r"\arg\max": r"\operatorname{arg\,max}",
    r"\arg\min": r"\operatorname{arg\,min}",
    r"\bigl\|": r"\lVert",
    r"\bigr\|": r"\rVert",
}


def to_mathml(latex: str, *, block: bool = False) -> str:
    r"""Translate a formula; a command that is not understood is an error, not a picture of itself.

    Examples
    --------
    >>> to_mathml("x^2").count("<msup>")
    1
    >>> to_mathml(r"\nonsense x")
    Traceback (most recent call last):
    ValueError: '\\nonsense' is not understood in '\\nonsense x'
    """
    for ours, theirs in _SPELLINGS.items():
        latex = latex.replace(ours, theirs)
    # Without a font for formulas browsers draw the smaller of the large brackets far too large.
    latex = re.sub(r"\\big[lr]?(?![A-Za-z])", "", latex)
    # Formulas over several lines come as a list without an environment, as MathJax takes them.
    if r"\\" in latex and r"\begin" not in latex:
        latex = rf"\begin{{aligned}}{latex}\end{{aligned}}"
    result: str = convert(latex, display="block" if block else "inline")
    unknown = re.search(r"\\[A-Za-z]+|\\.", re.sub(r"<[^>]*>", " ", result))
    if unknown:
        raise ValueError(f"{unknown.group()!r} is not understood in {latex!r}")
    return result


def _html(node: nodes.Element, *, block: bool) -> str:
    try:
        return to_mathml(node.astext(), block=block)
    except Exception as error:
        logger.warning("formula: %s", error, location=node)
        return f"<code>{node.astext()}</code>"


def _visit_inline(translator: Any, node: nodes.Element) -> None:
    translator.body.append(f'<span class="math">{_html(node, block=False)}</span>')
    raise nodes.SkipNode


def _visit_block(translator: Any, node: nodes.Element) -> None:
    # Blank lines part formulas that stand below each other, as in reStructuredText.
    for part in re.split(r"\n\s*\n", node.astext().strip()):
        single = node.copy()
        single += nodes.Text(part)
        # Wide formulas scroll; with tabindex also by the keyboard.
        translator.body.append(
            f'<div class="math-block" tabindex="0">{_html(single, block=True)}</div>\n'
        )
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the renderer; conf.py chooses it with ``html_math_renderer``."""
    app.add_html_math_renderer("mathml", (_visit_inline, None), (_visit_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
