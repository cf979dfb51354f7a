"""One game conducted: the way of an input, its viewers, the seats of bots, the side of its table, resuming."""
