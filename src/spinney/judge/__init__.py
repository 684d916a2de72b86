r"""The judge: networks that turn the evidence of all pairs into a probability for each.

Arrays in, probabilities out; where the evidence comes from is not known here.

Every pair of columns :math:`uv` has a state of :math:`C` even numbers :math:`h_{uv}`, which stay
when a column is negated, and :math:`D` odd ones :math:`o_{uv}`, which change their sign. They
begin with the evidence, even :math:`e` and odd :math:`q`, cut to the range of training and scaled;
:math:`\operatorname{soft}(o) = o / \sqrt{1 + \overline{o^2}}`, LN is layer norm [2]_:

.. math:: h = [e, |q|] W + b, \qquad o = q V .

Each block then lets pairs hear of others. (1) Triangles [1]_: with
:math:`y = \operatorname{soft}(o)` and :math:`x = [\mathrm{LN}(h), (yP_1)(yP_2)]`, gated linear maps
:math:`a, b` of :math:`x` (even) and :math:`r, s` of :math:`y` (odd) are summed over third columns,

.. math::

    t_{uv} = \tfrac{1}{\sqrt d} \sum_{k \ne u, v} (a_{uk} b_{kv} + b_{uk} a_{kv}), \qquad
    z_{uv} = \tfrac{1}{\sqrt d} \sum_{k \ne u, v} (r_{uk} s_{kv} + s_{uk} r_{kv}),

    h \mathrel{+}= \sigma(xG_t + g_t) ([\mathrm{LN}(t), \operatorname{soft}(z)^2] O_1 + c_1),
    \qquad o \mathrel{+}= \sigma(xG_z + g_z)(\operatorname{soft}(z) O_2) .

(2) Columns: mean and maximum over each column's pairs, and over all columns, through two small
maps, are added to :math:`h`. (3) A map with one hidden layer for each pair. The logit is
:math:`\mathrm{LN}(h) w + [e, |q|] w_{\text{skip}} + w_0`. ``docs/judge.md`` has every letter.

References
----------
.. [1] J. Jumper et al. (2021). Highly accurate protein structure prediction with AlphaFold. Nature
   596, 583-589.
.. [2] J. L. Ba, J. R. Kiros and G. E. Hinton (2016). Layer normalization. arXiv:1607.06450.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spinney._core.registry import lazy_exports

if TYPE_CHECKING:  # for editors and type checkers, which do not run the lines below
    from spinney.judge.choice import expected_false as expected_false
    from spinney.judge.choice import expected_missed as expected_missed
    from spinney.judge.choice import keep_by_fdr as keep_by_fdr
    from spinney.judge.graph_learner import GraphLearner as GraphLearner
    from spinney.judge.judge import SHIPPED as SHIPPED
    from spinney.judge.judge import Judge as Judge
    from spinney.judge.judge import JudgeReference as JudgeReference
    from spinney.judge.markov_blanket import SelectMarkovBlanket as SelectMarkovBlanket
    from spinney.judge.network import STANDARDISATION as STANDARDISATION
    from spinney.judge.network import Network as Network
    from spinney.judge.network import Settings as Settings
    from spinney.judge.strength import Strengths as Strengths
    from spinney.judge.strength import edge_strengths as edge_strengths

_MODULES = {
    "choice": ("expected_false", "expected_missed", "keep_by_fdr"),
    "graph_learner": ("GraphLearner",),
    "judge": ("SHIPPED", "Judge", "JudgeReference"),
    "markov_blanket": ("SelectMarkovBlanket",),
    "network": ("STANDARDISATION", "Network", "Settings"),
    "strength": ("Strengths", "edge_strengths"),
}

__getattr__, __dir__, __all__ = lazy_exports(
    __name__, {name: f"{__name__}.{module}" for module, names in _MODULES.items() for name in names}
)
