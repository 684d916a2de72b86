"""What a report says, as plain JSON: one small file per section, put together by `build`."""

from spinney.graph.report.content.payload import build

__all__ = ["build"]
