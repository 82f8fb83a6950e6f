"""The pages: `register(scheduler)` of each module adds its page to the server."""
