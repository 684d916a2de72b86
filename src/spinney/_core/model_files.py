"""Fitted models on disc, by joblib."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from spinney import __version__
from spinney._core.files import whole_file
from spinney._core.text import cause
from spinney.exceptions import InputError

FORMAT = "spinney model"


def save_model(model: Any, path: str | Path) -> Path:
    """Write a model to one file, whole or not at all; :func:`load_model` reads it back.

    Parameters
    ----------
    model : object
        An estimator, a graph or a part of one, fitted or not.
    path : str or path
        Where to write. Any name will do; ``.spinney`` is the custom.

    Returns
    -------
    Path
        The path.

    Notes
    -----
    joblib pickles the model. A fitted model contains the table that it was fitted to.

    Examples
    --------
    >>> import tempfile
    >>> from spinney.pairs.margins import Margins
    >>> marginals = Margins().fit([[1.0], [2.0], [4.0], [8.0]])
    >>> path = save_model(marginals, tempfile.mkdtemp() + "/marginals.spinney")
    >>> load_model(path).transform([[4.0]])
    array([[0.6]])
    """
    import joblib  # takes as long to import as learning a small table

    target = Path(path)
    document = {"format": FORMAT, "spinney_version": __version__, "model": model}
    with whole_file(target) as temporary:
        # Higher levels are slow and hardly compress arrays of floats any further.
        joblib.dump(document, temporary, compress=1)
    return target


def load_model(path: str | Path) -> Any:
    """Read a model that its ``save`` wrote.

    Load only files that you trust: the file is a pickle, and reading one can run any code.

    Parameters
    ----------
    path : str or path
        The file.

    Returns
    -------
    object
        The model, as it was; all numbers are the same to the last bit.

    Raises
    ------
    InputError
        If the file is not a model file, is damaged, or comes from another version of spinney.
    FileNotFoundError
        If there is none.
    """
    import joblib

    try:
        document = joblib.load(path)
        if document["format"] != FORMAT:
            raise KeyError("format")
    except FileNotFoundError:
        raise
    except Exception as error:  # what a damaged file raises depends on where it is damaged
        raise InputError(
            f"'{path}' is not a model file of spinney {__version__}, or it is damaged "
            f"({type(error).__name__}: {cause(error)}). Learn the graph again and save it."
        ) from error
    writer = document["spinney_version"]
    if writer != __version__:
        raise InputError(
            f"'{path}' was written by spinney {writer}; this is {__version__}. Use that version, "
            "or learn the graph again and save it."
        )
    return document["model"]
