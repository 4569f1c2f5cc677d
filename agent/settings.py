"""Everything that can be set, from `DESK_*` variables or a `.env` file."""

from __future__ import annotations

from pathlib import Path
from typing import Literal
from zoneinfo import available_timezones

from pydantic import Field, ValidationError, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from tools.errors import ConfigurationError

EXTRACTIVE = "extractive"
TRACE_FILE = "traces.jsonl"
"""The file in DESK_HOME with a line for each question."""
_DEFAULT_MODEL = "gpt-5-mini"


class Settings(BaseSettings):
    """The desk's settings; every field is the variable `DESK_` plus its name in capitals."""

    model_config = SettingsConfigDict(
        env_prefix="DESK_", env_file=".env", env_ignore_empty=True, extra="ignore", frozen=True
    )

    home: Path = Field(Path(".desk"), description="where documents, database and caches live")
    database_url: str | None = Field(None, description="PostgreSQL of your own; embedded when unset")
    documents_uri: str | None = Field(None, description="LanceDB folder or s3:// address of your own")
    embedder: Literal["onnx", "openai"] = Field("onnx", description="what turns text into vectors")
    embedding_model: str = Field("text-embedding-3-small", description="the model when DESK_EMBEDDER=openai")
    reranker: str = Field(
        "none", description="what re-reads the best passages: none, cross-encoder, or a server's address"
    )
    reranker_model: str | None = Field(None, description="the reranker's model; unset: its default")
    reranker_key: str | None = Field(None, repr=False, description="the key of the reranker's server")
    model: str | None = Field(
        None,
        description="what answers; unset: gpt-5-mini with a key, else `extractive`, which needs none",
    )
    api: Literal["responses", "chat"] = Field("responses", description="which OpenAI API the server speaks")
    openai_api_key: str | None = Field(
        None, validation_alias="OPENAI_API_KEY", repr=False, description="turns the language model on"
    )
    openai_base_url: str | None = Field(
        None, validation_alias="OPENAI_BASE_URL", description="another server that speaks OpenAI's API"
    )
    tavily_api_key: str | None = Field(
        None, validation_alias="TAVILY_API_KEY", repr=False, description="turns the web search on"
    )
    judge: str | None = Field(
        None,
        description="the model that gives a second opinion on what the grader cannot decide; "
        "unset: the one that answers, unless it is `extractive`; `off`: none",
    )
    policy: Literal["refuse", "trim"] = Field(
        "refuse",
        description="what becomes of a draft of which a part cannot be verified: "
        "refused, or `trim`: the rest is shown, and says so",
    )
    web_url: str | None = Field(None, description="another server that speaks Tavily's search API")
    records_schema: str = Field("desk", description="the PostgreSQL schema that the desk may read")
    reader_role: str = Field("desk_reader", description="the role under which every lookup runs")
    pool_size: int = Field(4, ge=1, le=100, description="connections to the database at once")
    statement_timeout: float = Field(3.0, gt=0, description="seconds per SQL statement")
    row_cap: int = Field(50, ge=1, le=1000, description="rows that one SQL statement may return")
    lock_timeout: float = Field(1.0, gt=0, description="seconds that an SQL statement waits for a lock")
    byte_cap: int = Field(1_000_000, ge=1000, description="bytes that one SQL statement may return")
    cost_ceiling: float = Field(
        1_000_000.0, gt=0, description="highest cost of an SQL statement, in units of PostgreSQL's planner"
    )
    time_zone: str | None = Field(
        None, description="in which times are told, such as Europe/Amsterdam; unset: the database's own"
    )
    readable: str | None = Field(
        None,
        description="what the desk may read, such as `products, orders(order_id, status), order_status()`;"
        " unset: what the reader role was granted",
    )
    customer_columns: str = Field(
        "customer_id,user_id,client_id", description="columns that say whose a row is, the first one first"
    )
    staff_records: bool = Field(False, description="whether `--staff` may see the records of all customers")
    web_timeout: float = Field(8.0, gt=0, description="seconds per web search")
    source_timeout: float = Field(20.0, gt=0, description="seconds per tool call, whatever the source")
    model_timeout: float = Field(60.0, gt=0, description="seconds per model call")
    model_retries: int = Field(2, ge=0, description="further tries of a model call that failed in passing")
    relevance_model: str | None = Field(
        None, description="the model that grades passages against the question; unset: code does"
    )
    rewrite_model: str | None = Field(
        None, description="the model that rewrites follow-ups and weak queries; unset: code does"
    )
    extraction_model: str | None = Field(
        None,
        description="the model that reads passages for the graph, when asked to; "
        "unset: the one that answers, unless it is `extractive`",
    )
    instructions: Path | None = Field(
        None, description="a folder with prompts of your own, named like those in instructions/"
    )
    company: str | None = Field(None, description="the company's name, as the desk says it")
    tone: str | None = Field(None, description="how the desk speaks, such as `warm and brief`")
    language: str | None = Field(None, description="the language of answers; unset: the customer's")
    rules: str | None = Field(None, description="further rules for the model, one a line; safety stays")
    max_turns: int = Field(8, ge=2, description="model calls per draft")
    max_searches: int = Field(8, ge=1, description="searches per question")
    max_tool_calls: int = Field(24, ge=1, description="tool calls that a model may ask for per question")
    max_tokens: int | None = Field(
        None, ge=1, description="tokens per question, sent and made; unset: no bound"
    )
    max_cost: float | None = Field(
        None, gt=0, description="money per question, by DESK_PRICES; unset: no bound"
    )
    prices: Path | None = Field(
        None, description="your price table of models, like agent/models/prices.yaml, which holds no prices"
    )
    max_seconds: float = Field(90.0, gt=0, description="seconds per question")
    sessions_url: str | None = Field(
        None, description="PostgreSQL for named conversations; unset: a file under DESK_HOME"
    )
    traces: bool = Field(True, description="keep a line for each question in traces.jsonl under DESK_HOME")
    trace_content: bool = Field(False, description="let traces hold questions, answers, prompts and rows too")
    otel: bool = Field(False, description="hand traces to OpenTelemetry too; needs the extra `otel`")
    question_limit: int = Field(4000, ge=100, description="longest question, in characters")

    @property
    def reaches_a_model(self) -> bool:
        """Whether there is a key, or the address of a server that may need none."""
        return bool(self.openai_api_key or self.openai_base_url)

    @property
    def chosen_model(self) -> str:
        """What answers: the model named, else the default one where one can be reached, else `extractive`."""
        return self.model or (_DEFAULT_MODEL if self.reaches_a_model else EXTRACTIVE)

    @property
    def chosen_judge(self) -> str | None:
        """The model that gives a second opinion; None when there is none to ask."""
        name = self.judge or self.chosen_model
        return None if name in ("off", EXTRACTIVE) else name

    @property
    def chosen_extraction_model(self) -> str | None:
        """The language model that reads passages for the graph; None when there is none to ask."""
        name = self.extraction_model or self.chosen_model
        return name if name != EXTRACTIVE and self.reaches_a_model else None

    @property
    def customer_column_names(self) -> tuple[str, ...]:
        """The columns that say whose a row is."""
        return tuple(name.strip() for name in self.customer_columns.split(",") if name.strip())

    @field_validator("time_zone")
    @classmethod
    def _known_zone(cls, name: str | None) -> str | None:
        if name is not None and name not in available_timezones():
            raise ValueError(f"there is no time zone {name!r}; use a name such as Europe/Amsterdam")
        return name

    @classmethod
    def load(cls) -> Settings:
        """Read the environment.

        Raises:
            ConfigurationError: A value does not fit; the line names the variable.
        """
        try:
            return cls()
        except ValidationError as error:
            first = error.errors()[0]
            name = "_".join(str(part) for part in first["loc"]).upper()
            variable = name if name.startswith(("OPENAI", "TAVILY", "DESK_")) else f"DESK_{name}"
            raise ConfigurationError(f"{variable}: {first['msg'].lower()}") from None
