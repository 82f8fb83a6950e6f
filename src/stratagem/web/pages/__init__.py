"""The rooms: what is on each page. `register(house)` of each module adds its pages to the server."""
