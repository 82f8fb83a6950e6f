"""The network player: server, message handler, sessions."""
