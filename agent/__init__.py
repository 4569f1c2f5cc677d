"""The agent: everything between a question and a graded answer."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from agent.desk import SupportDesk as SupportDesk

__all__ = ["SupportDesk"]


def __getattr__(name: str) -> Any:
    """Load the desk only when it is asked for: `agent.grader` alone must stay cheap to import."""
    if name == "SupportDesk":
        from agent.desk import SupportDesk

        return SupportDesk
    raise AttributeError(f"module 'agent' has no attribute {name!r}")
