"""Step builders: from groups of events to steps."""
