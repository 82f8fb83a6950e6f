"""Timed players in worker processes: the fork server, the protocol, the clock of a turn."""
