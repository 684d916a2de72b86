"""Penguins of the Palmer Archipelago: a small table of several kinds, with gaps."""

from __future__ import annotations

import pandas as pd

from spinney.datasets._files import read_bundled

__all__ = ["load_penguins"]

_LEVELS = {
    "species": ("Adelie", "Chinstrap", "Gentoo"),
    "island": ("Biscoe", "Dream", "Torgersen"),
    "sex": ("female", "male"),
}


def load_penguins() -> pd.DataFrame:
    """Load size measurements of penguins, with species, island, sex and year.

    344 adult penguins of three species near Palmer Station, Antarctica. The file itself, with
    ``NA`` for gaps, is at ``spinney.datasets.path("penguins.csv")``.

    Returns
    -------
    data frame of shape (344, 8)
        ``species`` and ``island`` (categoricals without order, three levels each);
        ``bill_length_mm, bill_depth_mm, flipper_length_mm, body_mass_g`` (numbers; two birds have
        none of them);
        ``sex`` (categorical, two levels, 11 gaps); ``year`` (ordered categorical, 2007 to 2009).

    Notes
    -----
    Much is known of what a graph should show. Gentoo were met on Biscoe only and Chinstrap on Dream
    only, so species and island are bound together. Bill depth and body mass are *negatively*
    dependent over all birds and positively within each species and sex: a graph over the
    measurements alone mixes the two. Measurements are rounded (body mass to 25 g), hence tied.

    Source: the Python package ``palmerpenguins`` 0.1.6, whose description says: "Data are available
    by CC-0 license in accordance with the Palmer Station LTER Data Policy and the LTER Data Access
    Policy for Type I data." More is in ``data/PROVENANCE.md`` beside the file.

    References
    ----------
    .. [1] A. M. Horst, A. P. Hill and K. B. Gorman (2020). palmerpenguins: Palmer Archipelago
       (Antarctica) penguin data. R package version 0.1.0. doi:10.5281/zenodo.3960218
    .. [2] K. B. Gorman, T. D. Williams and W. R. Fraser (2014). Ecological sexual dimorphism and
       environmental variability within a community of Antarctic penguins (genus Pygoscelis). PLoS
       ONE 9(3), e90081.

    Examples
    --------
    >>> from spinney.datasets import load_penguins
    >>> penguins = load_penguins()
    >>> penguins.shape, int(penguins["sex"].isna().sum())
    ((344, 8), 11)
    >>> penguins["species"].value_counts(sort=False).to_dict()
    {'Adelie': 152, 'Chinstrap': 68, 'Gentoo': 124}
    """
    table = read_bundled("penguins.csv", decimals=1).copy()
    for name, levels in _LEVELS.items():
        table[name] = pd.Categorical(table[name], categories=list(levels))
    table["year"] = pd.Categorical(table["year"], categories=[2007, 2008, 2009], ordered=True)
    return table
