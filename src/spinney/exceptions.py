"""Errors and warnings that spinney raises."""

__all__ = ["DataWarning", "InputError", "InputTypeError", "SpinneyError"]


class SpinneyError(Exception):
    """Base class of all errors that are spinney's own."""


class InputError(SpinneyError, ValueError):
    """An argument or a table cannot be used; the message says what, where and what to do."""


class DataWarning(UserWarning):
    """The data can be used, but something about them deserves a look."""


class InputTypeError(InputError, TypeError):
    """A table or an argument is of a kind that cannot be read as numbers."""
