"""Files: written whole or not at all."""

from spinney._files import whole_file

__all__ = ["whole_file"]
