"""General game playing on the network: protocol, player, manager, tournaments. Internal."""
