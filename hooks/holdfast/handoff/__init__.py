"""Sub-agents' reports: rules, protocol, the orchestrator's state."""
