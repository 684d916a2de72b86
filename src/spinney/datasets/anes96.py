"""American voters of 1996: a table of scales, with a few counts and one choice of two."""

from __future__ import annotations

import pandas as pd

from spinney.datasets._files import read_bundled

__all__ = ["load_anes96"]

_LEFT_TO_RIGHT = (
    "extremely liberal",
    "liberal",
    "slightly liberal",
    "moderate",
    "slightly conservative",
    "conservative",
    "extremely conservative",
)
_LEVELS: dict[str, tuple[str, ...]] = {
    "selfLR": _LEFT_TO_RIGHT,
    "ClinLR": _LEFT_TO_RIGHT,
    "DoleLR": _LEFT_TO_RIGHT,
    "PID": (
        "strong Democrat",
        "weak Democrat",
        "independent Democrat",
        "independent",
        "independent Republican",
        "weak Republican",
        "strong Republican",
    ),
    "educ": (
        "1-8 grades",
        "some high school",
        "high school graduate",
        "some college",
        "college degree",
        "master's degree",
        "PhD",
    ),
    "vote": ("Clinton", "Dole"),
}
"""What the codes mean, in order; the file counts PID and vote from 0, the others from 1."""


def load_anes96() -> pd.DataFrame:
    """Load answers of American voters in 1996: where they stand, who they are, how they vote.

    A part of the American National Election Study of 1996: 944 respondents, no gaps. The file
    itself, with numbers for all answers, is at ``spinney.datasets.path("anes96.csv")``.

    Returns
    -------
    data frame of shape (944, 10)
        ``popul`` (population of the place in thousands; a quarter of them zero), ``TVnews`` (days a
        week with news on television, ordered, 0 to 7), ``selfLR, ClinLR, DoleLR`` (where one sees
        oneself, Clinton and Dole from left to right, seven steps), ``PID`` (party, seven steps from
        strong Democrat to strong Republican), ``age``, ``educ`` (seven steps), ``income`` (24
        classes of household income, ordered, 1: below 3,000 dollars, 24: from 105,000 dollars) and
        ``vote`` (Clinton or Dole). Steps are ordered categoricals.

    Notes
    -----
    Source: the Python package ``statsmodels`` 0.15.0, ``datasets/anes96``, which says: "This is
    public domain." More is in ``data/PROVENANCE.md`` beside the file.

    References
    ----------
    .. [1] The American National Election Studies (electionstudies.org). 1996 study.

    Examples
    --------
    >>> from spinney.datasets import load_anes96
    >>> voters = load_anes96()
    >>> voters.shape, voters["vote"].value_counts(sort=False).to_dict()
    ((944, 10), {'Clinton': 551, 'Dole': 393})
    >>> voters["PID"].cat.categories[0], bool(voters["PID"].cat.ordered)
    ('strong Democrat', True)
    """
    table = read_bundled("anes96.csv", decimals=0).copy()
    for name, levels in _LEVELS.items():
        codes = table[name] - (0 if name in ("PID", "vote") else 1)
        table[name] = pd.Categorical.from_codes(codes, categories=pd.Index(levels), ordered=True)
    for name, values in (("TVnews", range(8)), ("income", range(1, 25))):
        table[name] = pd.Categorical(table[name], categories=list(values), ordered=True)
    return table
