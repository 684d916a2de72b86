"""Errors and warnings that spinney raises."""

from __future__ import annotations

from spinney.notices import Notice

__all__ = ["DataWarning", "InputError", "InputTypeError", "NotPlainError", "SpinneyError"]


class SpinneyError(Exception):
    """Base class of all errors that are spinney's own."""


class InputError(SpinneyError, ValueError):
    """An argument or a table cannot be used; the message says what, where and what to do."""


class InputTypeError(InputError, TypeError):
    """A table or an argument is of a kind that cannot be read as numbers."""


class NotPlainError(InputTypeError):
    """A table holds text, dates, missing or infinite values where finite numbers are needed."""


class DataWarning(UserWarning):
    """The data can be used, but something about them deserves attention."""

    @property
    def notice(self) -> Notice | None:
        """The notice that the warning was raised with; None if it was only text."""
        first = self.args[0] if self.args else None
        return first if isinstance(first, Notice) else None
