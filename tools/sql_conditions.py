"""Whether all that a SELECT was held to is told by the words that it names."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sqlglot import exp


def holds_more(tree: exp.Expr, told: Collection[str]) -> bool:
    """Whether rows can be missing for another reason than that none has these words.

    Args:
        tree: The statement.
        told: The words in quotes that whoever reads "no rows" is told of.
    """
    from sqlglot import exp

    if any(tree.find_all(exp.Having, exp.Offset, exp.Intersect, exp.Except, exp.Exists)):
        return True
    values = (one for one in tree.find_all(exp.Literal) if one.find_ancestor(exp.Limit) is None)
    if any(not one.is_string or one.name.strip("%") not in told for one in values):
        return True
    if any(one.expression.name == "0" for one in tree.find_all(exp.Limit)):
        return True
    held = [join.args["on"] for join in tree.find_all(exp.Join) if join.args.get("on")]
    held += [where.this for where in tree.find_all(exp.Where)]
    return any(not _names(part) for condition in held for part in _conjuncts(condition))


def _conjuncts(condition: exp.Expr) -> list[exp.Expr]:
    from sqlglot import exp

    plain = condition.unnest()
    return list(plain.flatten()) if isinstance(plain, exp.And) else [plain]


def _names(condition: exp.Expr) -> bool:
    """Whether it says that a column is a word, or another column."""
    from sqlglot import exp

    plain = condition.unnest()
    if not isinstance(plain, exp.EQ | exp.Like | exp.ILike):
        return False
    sides = (plain.left, plain.right)
    return all(isinstance(side, exp.Column | exp.Literal) for side in sides)
