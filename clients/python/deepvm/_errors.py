"""The errors of this package."""

from __future__ import annotations

from typing import Any, Dict, Optional


class Error(Exception):
    """Something that the caller can mend; the second line says how."""

    def __init__(self, what: str, maybe: Optional[str] = None) -> None:
        super().__init__(what if maybe is None else what + "\n" + maybe)


class Untrusted(Error):
    """The agent, or its answer, is not as an agent of this user would be."""


class Refused(Error):
    """The agent's answer is a no."""

    def __init__(self, answer: Dict[str, Any]) -> None:
        super().__init__(answer["error"], answer.get("maybe"))
        self.fenced = bool(answer.get("fenced", False))
