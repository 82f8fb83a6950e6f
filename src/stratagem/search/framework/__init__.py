"""What the searches share: views of games, counts, traces and results. Internal."""
