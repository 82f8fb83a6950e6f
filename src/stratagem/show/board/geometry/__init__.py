"""What the rules say about places: domains, orders, axes, neighbours and the direction of play."""
