"""Two ways to ask from a script. Run `desk demo` first: the questions are about its company."""

from agents import Runner

from agent import SupportDesk

with SupportDesk.open() as desk:
    # The SDK's own runner. A draft that is not supported raises OutputGuardrailTripwireTriggered.
    result = Runner.run_sync(
        desk.agent,
        "Can I return a kettle I bought 5 days ago?",
        context=desk.context(customer_id="C-1042"),
        run_config=desk.run_config,
        max_turns=8,
    )
    print(result.final_output)

    # The desk: one repair of a draft that fails its grade, then an honest refusal. Also: await desk.ask(…).
    answer = desk.ask_sync("Where is my order?", customer_id="C-1042")
    print(answer.status, answer.text)
    for citation in answer.citations:
        print(citation.id, citation.title, citation.quote)
