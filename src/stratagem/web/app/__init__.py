"""The server, the frame of every page, addresses and limits."""
