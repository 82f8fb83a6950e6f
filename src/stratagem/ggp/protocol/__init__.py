"""The GGP protocol: messages in four dialects, HTTP, rules as text."""
