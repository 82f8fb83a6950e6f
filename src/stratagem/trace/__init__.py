"""What a search says about itself, as data: typed events, and a stream of them in a file."""
