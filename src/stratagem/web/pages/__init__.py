"""The rooms: what is on each page. `register(scheduler)` of each module adds its pages to the server."""
