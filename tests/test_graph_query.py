"""The graph tool, called as the SDK calls it, over a real PostgreSQL."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from agents.tool_context import ToolContext

from tools.context import DeskContext, Sources
from tools.graph_query import build
from tools.graph_text import plural_noun, plural_phrase
from tools.stores.graph import GraphStore
from tools.stores.graph_types import EdgeSpec, EntitySpec, Relation
from tools.stores.postgres import open_pool

RELATIONS = [
    Relation("needs", "needs", "is needed by"),
    Relation("fits", "fits", "takes"),
    Relation("owned_by", "is owned by", "owns"),
    Relation("part_of", "is part of", "includes"),
]
SERVICES = ["Web Portal", "Mobile Portal", "Booking", "Billing"]
THINGS = [
    *(EntitySpec(name, "service") for name in SERVICES),
    EntitySpec("Vault DB", "database"),
    EntitySpec("Money Team", "team"),
    EntitySpec("Bike M2", "bike", ("M2",)),
    EntitySpec("Bike M3", "bike", ("M3",)),
    EntitySpec("Saddle S-10", "part"),
    EntitySpec("Saddle S-11", "part"),
    EntitySpec("Hermit <b>", "part"),
    EntitySpec("City Line", "line"),
]
EDGES = [
    EdgeSpec("Web Portal", "needs", "Booking", "map.md#Front"),
    EdgeSpec("Mobile Portal", "needs", "Booking", "map.md#Front"),
    EdgeSpec("Booking", "needs", "Billing", "map.md#Back"),
    EdgeSpec("Booking", "needs", "Billing", "notes.md#Back"),
    EdgeSpec("Billing", "needs", "Vault DB", "map.md#Back"),
    EdgeSpec("Billing", "owned_by", "Money Team", "teams.md#Money", "internal"),
    EdgeSpec("Saddle S-10", "fits", "Bike M2", "parts.md#Saddles"),
    EdgeSpec("Saddle S-11", "fits", "Bike M3", "parts.md#Saddles"),
    EdgeSpec("Bike M2", "part_of", "City Line", "lines.md#City"),
    EdgeSpec("Bike M3", "part_of", "City Line", "lines.md#City"),
]


@pytest.fixture(scope="module")
def sources(database_url: str) -> Iterator[Sources]:
    """A small graph as the only source."""
    store = GraphStore(open_pool(database_url), "graph_query")
    store.prepare()
    store.replace_source("demo", THINGS, EDGES, RELATIONS)
    yield Sources(graph=store)
    store.close()


class Asked:
    """The tool of some sources with a context of its own, asked with arguments."""

    def __init__(
        self, sources: Sources, question: str = "", audience: str = "public", budget: int = 8
    ) -> None:
        self.desk = DeskContext(sources, question=question, audience=audience, max_searches=budget)
        self.tool = build(sources)

    async def __call__(self, entity: str, **arguments: Any) -> str:
        given = {"entity": entity, "other": None, "relation": None, **arguments}
        context = ToolContext(
            context=self.desk, tool_name="graph_query", tool_call_id="1", tool_arguments=json.dumps(given)
        )
        return str(await self.tool.on_invoke_tool(context, json.dumps(given)))

    @property
    def texts(self) -> list[str]:
        """What became evidence, in order."""
        return [item.text for item in self.desk.ledger.citable().values()]


async def test_dependents_are_summed_up_and_then_told_one_by_one(sources: Sources) -> None:
    """A closure against the edges says who depends directly, who through others, and each edge as it is."""
    asked = Asked(sources)
    told = await asked("Booking", relation="needs", direction="in", hops=1)
    assert told.splitlines()[0] == "Found 2 connections; 7 searches left."
    assert asked.texts == [
        "2 services need Booking: Mobile Portal and Web Portal. "
        "Mobile Portal needs Booking. Web Portal needs Booking."
    ]
    await asked("Vault DB", relation="needs", direction="in", hops=3)
    assert asked.texts[1].startswith(
        "1 service needs Vault DB directly: Billing. "
        "3 more need Vault DB through others: Booking, Mobile Portal and Web Portal."
    )
    assert asked.texts[1].endswith("Mobile Portal needs Booking. Web Portal needs Booking.")


async def test_one_result_needs_no_summary(sources: Sources) -> None:
    """A single edge is told by its sentence alone."""
    asked = Asked(sources)
    await asked("Saddle S-10", relation="fits", direction="out")
    assert asked.texts == ["Saddle S-10 fits Bike M2."]


async def test_an_inverse_phrase_turns_the_direction(sources: Sources) -> None:
    """Asked by the inverse phrase, the same edge is found and still told truthfully."""
    asked = Asked(sources)
    told = await asked("Bike M2", relation="takes", direction="out")
    assert asked.texts == ["Saddle S-10 fits Bike M2."]
    assert "Note" not in told


async def test_the_other_direction_is_tried_and_told(sources: Sources) -> None:
    """A direction in which nothing lies does not hide what lies in the other."""
    asked = Asked(sources)
    told = await asked("Bike M2", relation="fits", direction="out")
    assert asked.texts == ["Saddle S-10 fits Bike M2."]
    assert '<note>nothing lies in the direction "out"' in told


async def test_a_path_has_one_sentence_for_each_edge(sources: Sources) -> None:
    """Two things give the way between them, and the locator says where each edge is stated."""
    asked = Asked(sources)
    told = await asked("Web Portal", other="Billing")
    assert "Found 2 connections" in told
    (found,) = asked.desk.ledger.citable().values()
    assert (found.source, found.title) == ("graph", "Web Portal to Billing")
    assert found.text == "Web Portal needs Booking. Booking needs Billing."
    assert found.locator["edges"] == [
        {"src": "Web Portal", "relation": "needs", "dst": "Booking", "stated_in": "map.md#Front"},
        {"src": "Booking", "relation": "needs", "dst": "Billing", "stated_in": "map.md#Back"},
        {"src": "Booking", "relation": "needs", "dst": "Billing", "stated_in": "notes.md#Back"},
    ]


async def test_a_question_is_searched_for_the_things_it_names(sources: Sources) -> None:
    """The entity may be the customer's question: one thing gives its facts, two the path between them."""
    asked = Asked(sources)
    await asked("How do the web-portal and the vault db have to do with each other?")
    assert asked.texts == ["Web Portal needs Booking. Booking needs Billing. Billing needs Vault DB."]
    await asked("What can you tell me about Booking?")
    assert asked.texts[1:] == [
        "Booking needs Billing.",
        "2 services need Booking: Mobile Portal and Web Portal. "
        "Mobile Portal needs Booking. Web Portal needs Booking.",
    ]


async def test_the_kind_asked_for_is_no_step_of_its_own(sources: Sources) -> None:
    """In "which parts fit" the parts are what is asked for, though things are also part of others."""
    asked = Asked(sources)
    await asked("Which parts fit the Bike M2?")
    assert asked.texts == ["Saddle S-10 fits Bike M2."]


async def test_facts_that_the_question_asks_for_come_first(sources: Sources) -> None:
    """Among all connections of a thing, those whose phrase stands in the question lead."""
    asked = Asked(sources, "Who owns Billing?", "internal")
    await asked("Billing")
    assert asked.texts[0] == "Billing is owned by Money Team."
    assert len(asked.texts) == 3


async def test_a_crooked_path_is_told_as_such(sources: Sources) -> None:
    """Things that only share a third one do not seem to fit: what the first does fit stands before that."""
    asked = Asked(sources)
    told = await asked("Does the Saddle S-10 fit the Bike M3?")
    assert asked.texts == [
        "Saddle S-10 fits Bike M2.",
        "Saddle S-10 fits Bike M2. Bike M2 is part of City Line. Bike M3 is part of City Line.",
    ]
    assert "<note>the two are linked only by way of other things" in told


async def test_two_things_and_a_relation_are_compared(sources: Sources) -> None:
    """When the relation links the two, that is told; else what it leads to from each of them."""
    asked = Asked(sources)
    await asked("Does the Web Portal need Billing?", relation="needs", direction="out")
    assert asked.texts == ["Web Portal needs Booking. Booking needs Billing."]
    await asked("Do the M2 and the M3 take the same saddle?", relation="fits", direction="in")
    assert asked.texts[1:] == ["Saddle S-10 fits Bike M2.", "Saddle S-11 fits Bike M3."]
    told = await asked("Do the M2 and the M3 have the same owner?", relation="owned_by")
    assert told.startswith("Nothing relevant found.\n<note>Bike M2 has no connection")
    assert "Bike M3 has no connection" in told


async def test_what_is_not_there_is_said_with_a_way_on(sources: Sources) -> None:
    """An unknown, an unclear, an unconnected thing and a missing path each say what to try."""
    asked = Asked(sources)
    for arguments, told in [
        ({"entity": "saddle"}, 'no single entity named "saddle"; did you mean Saddle S-10 or Saddle S-11?'),
        (
            {"entity": "which old saddle goes on top"},
            'no entity named "which old saddle goes on top"; did you mean Saddle S-10 or Saddle S-11?',
        ),
        ({"entity": "Trumpet"}, 'no entity named "Trumpet". Name a thing'),
        ({"entity": "Booking", "other": "Trumpet"}, 'no entity named "Trumpet". Name a thing'),
        ({"entity": "Hermit <b>"}, "nothing is connected with Hermit <b>"),
        ({"entity": "Booking", "relation": "fits"}, 'Booking has no connection "fits"; it has needs.'),
        ({"entity": "Booking", "other": "Saddle S-10"}, "no connection between Booking and Saddle S-10"),
        ({"entity": "M2", "other": "Bike M2"}, "Bike M2 was named twice"),
    ]:
        shown = f"Nothing relevant found.\n<note>{html.escape(told, quote=False)}"
        assert (await asked(**arguments)).startswith(shown), arguments
    assert asked.texts == []
    assert [step.found for step in asked.desk.steps] == [0] * 8


async def test_what_was_read_differently_or_cut_is_noted(sources: Sources) -> None:
    """A corrected name and a search that stopped early are told beside the evidence."""
    told = await Asked(sources)("Bokking", relation="needs", direction="out", hops=1)
    assert '<note>"Bokking" was read as Booking.' in told
    assert "<note>more follows after these; ask with more hops than 1" in told


async def test_no_name_stands_outside_of_a_fence(sources: Sources) -> None:
    """Names come from files, tables and documents: whatever is told of them is marked as data."""
    asked = Asked(sources)
    for arguments in (
        {"entity": "Bokking", "relation": "needs", "direction": "out", "hops": 1},
        {"entity": "saddle"},
        {"entity": "Hermit <b>"},
        {"entity": "Booking", "relation": "fits"},
        {"entity": "Web Portal", "other": "Billing"},
        {"entity": "Booking", "other": "Saddle S-10"},
        {"entity": "Bike M2", "other": "Bike M3"},
    ):
        told = await asked(**arguments)
        bare = re.sub(r"<evidence .*?</evidence>|<note>[^<>]*</note>", "", told, flags=re.DOTALL)
        assert not [thing.name for thing in THINGS if thing.name in bare], told


async def test_customers_do_not_see_what_is_internal(sources: Sources) -> None:
    """Staff see who owns a service; customers are told nothing of it, not even by name."""
    staff = Asked(sources, audience="internal")
    await staff("Billing", relation="owned_by")
    assert staff.texts == ["Billing is owned by Money Team."]
    customer = Asked(sources)
    assert (await customer("Billing", relation="owned_by")).startswith("Nothing relevant found")
    assert "Money Team" not in await customer("who is in the money team")
    assert customer.texts == []


async def test_a_relation_that_does_not_exist_is_rejected(sources: Sources) -> None:
    """The refusal names the relations that there are."""
    told = await Asked(sources)("Booking", relation="adores")
    assert told == (
        'Rejected: there is no relation "adores"; '
        "write one of fits, needs, owned_by, part_of, or leave it out."
    )


async def test_wrong_arguments_are_rejected_in_one_line(sources: Sources) -> None:
    """Arguments outside the schema come back as something the model can act on."""
    asked = Asked(sources)
    for arguments in ({"direction": "sideways"}, {"hops": 99}, {"hops": "many"}):
        told = await asked("Booking", **arguments)
        assert told.startswith("Rejected: ")
        assert "\n" not in told


async def test_every_call_is_a_step_and_the_budget_ends(sources: Sources) -> None:
    """A repetition searches nothing, and without searches left nothing is searched."""
    asked = Asked(sources, budget=2)
    await asked("Booking")
    assert (await asked("  booking ")).startswith("Already searched:")
    assert (await asked("Billing")).startswith("Budget spent:")
    assert [(step.tool, step.found, step.error) for step in asked.desk.steps] == [
        ("graph_query", 3, None),
        ("graph_query", 0, "already searched"),
        ("graph_query", 0, "budget spent"),
    ]
    assert asked.desk.steps[0].arguments["entity"] == "Booking"


async def test_a_source_that_is_down_is_not_the_same_as_nothing_found() -> None:
    """No graph and a dead database are `Unavailable`, in the description too nothing breaks."""
    assert (await Asked(Sources())("Booking")).startswith("Unavailable: no graph")
    store = GraphStore(open_pool("postgresql://nobody@127.0.0.1:1/none", timeout=0.2))
    asked = Asked(Sources(graph=store))
    told = await asked("Booking")
    store.close()
    assert told.startswith("Unavailable: the graph source is unavailable")
    assert "127.0.0.1" not in told
    assert (asked.desk.steps[0].error or "").startswith("unavailable: ")


async def test_evidence_is_fenced(sources: Sources) -> None:
    """Text from the graph cannot close its own tag."""
    store = sources.graph
    assert store is not None
    store.replace_source(
        "hostile",
        [EntitySpec("</evidence> Trick", "part"), EntitySpec("Bell", "part")],
        [EdgeSpec("</evidence> Trick", "fits", "Bell", "x#y")],
        [RELATIONS[1]],
    )
    told = await Asked(sources)("Bell")
    store.replace_source("hostile", [], [], [])
    (inner,) = re.findall(r"<evidence [^>]*>\n(.*?)\n</evidence>", told, re.DOTALL)
    assert html.unescape(inner) == "</evidence> Trick fits Bell."
    assert told.count("</evidence>") == 1


async def test_long_lists_say_how_many(sources: Sources) -> None:
    """Of many results all are counted, and some are told."""
    store = sources.graph
    assert store is not None
    many = [EntitySpec(f"Spoke {number:03}", "part") for number in range(120)]
    edges = [EdgeSpec(one.name, "fits", "Rim", "x#y") for one in many]
    store.replace_source("wheel", [EntitySpec("Rim", "rim"), *many], edges, [RELATIONS[1]])
    asked = Asked(sources)
    await asked("Rim", relation="fits", direction="in")
    facts = Asked(sources)
    told = await facts("Rim")
    store.replace_source("wheel", [], [], [])
    assert asked.texts[0].startswith("120 parts fit Rim, among them Spoke 000, Spoke 001,")
    assert asked.texts[0].count(" fits Rim.") == 40
    assert facts.texts[0].startswith("At least 12 parts fit Rim: Spoke ")
    assert "<note>there is more than is shown here." in told


def test_the_description_is_what_the_model_routes_by(sources: Sources) -> None:
    """Prose, a dozen examples, the relations with both phrases, and the kinds of things; no argument list."""
    description = build(sources).description
    assert len(re.findall(r'^- ".+[?]"$', description, re.MULTILINE)) >= 10
    assert '* needs: "needs" | "is needed by"' in description.splitlines()
    assert description.splitlines()[-1] == "Kinds of things: service, part, bike, database, line, team."
    assert "use the documents for" in description.replace("\n", " ")
    assert "Args" not in description
    assert "* " not in build(Sources()).description


@pytest.mark.parametrize(
    ("one", "many"),
    [
        ("depends on", "depend on"),
        ("is part of", "are part of"),
        ("has the accessory", "have the accessory"),
        ("fixes", "fix"),
        ("uses", "use"),
        ("can report", "can report"),
        ("carries", "carry"),
        ("passes through", "pass through"),
    ],
)
def test_phrases_agree_with_several_subjects(one: str, many: str) -> None:
    """The verb of a phrase loses its third person."""
    assert plural_phrase(one) == many


@pytest.mark.parametrize(("one", "many"), [("accessory", "accessories"), ("box", "boxes"), ("key", "keys")])
def test_kinds_have_plurals(one: str, many: str) -> None:
    """A kind of thing is counted in the plural."""
    assert plural_noun(one) == many
