"""Which model drives the agent."""
