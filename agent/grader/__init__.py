"""The grader: checks every sentence of a draft against the evidence that it cites, before anyone reads it."""

from agent.grader.grades import ClaimGrade, Grade
from agent.grader.support import grade

__all__ = ["ClaimGrade", "Grade", "grade"]
