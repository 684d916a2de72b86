"""Words for a paper, and the checklist of reporting standards."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from spinney.graph.methods import STANDARDS
from spinney.graph.report.content.facts import Facts

__all__ = ["paper"]


def paper(facts: Facts) -> dict[str, Any]:
    """Write the words for a paper, and list what reporting standards ask for."""
    words = {key: facts.say(text) for key, text in asdict(facts.graph.methods()).items()}
    listed: list[Any] = facts.graph.checklist().to_dict("records")
    items = [{key: facts.say(text) for key, text in item.items()} for item in listed]
    return {"paper": {**words, "checklist": items, "standards": list(STANDARDS)}}
