"""How to cite what the report rests on."""

from __future__ import annotations

from typing import Any

from spinney import __version__
from spinney.graph.report.content.facts import Facts

__all__ = ["cite"]

TEXT = (
    "The spinney developers. spinney: structure of Markov random fields by averaging over forests "
    "of pair-copula trees, version {version}. Founded on E. Arvaniti and M. Claassen (2014). "
    "Markov Network Structure Learning via Ensemble-of-Forests Models. Proceedings of the 30th "
    "Conference on Uncertainty in Artificial Intelligence (UAI)."
)
BIBTEX = """\
@software{{spinney,
  author = {{{{The spinney developers}}}},
  title = {{spinney: structure of {{Markov}} random fields by averaging over forests of
           pair-copula trees}},
  version = {{{version}}},
}}

@inproceedings{{arvaniti2014markov,
  author = {{Arvaniti, Eirini and Claassen, Manfred}},
  title = {{{{Markov}} Network Structure Learning via Ensemble-of-Forests Models}},
  booktitle = {{Proceedings of the 30th Conference on Uncertainty in Artificial Intelligence
               (UAI)}},
  year = {{2014}},
}}
"""


def cite(facts: Facts) -> dict[str, Any]:
    """Name the program and its founding paper, as text and for BibTeX."""
    version = __version__
    return {
        "cite": {"text": TEXT.format(version=version), "bibtex": BIBTEX.format(version=version)}
    }
