"""Boolean logic for the code generator: networks, arithmetic in bit-slices, mapping to instructions."""
