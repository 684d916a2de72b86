"""Errors and warnings that spinney raises."""

from __future__ import annotations

from spinney.notices import Notice

__all__ = ["DataWarning", "InputError", "InputTypeError", "SpinneyError"]


class _Says:
    """An exception that holds a notice, or plain text where all interfaces say the same."""

    args: tuple[object, ...]

    @property
    def notice(self) -> Notice | None:
        """What there is to say, as data; None if it was only text."""
        first = self.args[0] if self.args else None
        return first if isinstance(first, Notice) else None


class SpinneyError(_Says, Exception):
    """Base class of all errors that are spinney's own."""


class InputError(SpinneyError, ValueError):
    """An argument or a table cannot be used; the message says what, where and what to do."""


class DataWarning(_Says, UserWarning):
    """The data can be used, but something about them deserves attention."""


class InputTypeError(InputError, TypeError):
    """A table or an argument is of a kind that cannot be read as numbers."""
