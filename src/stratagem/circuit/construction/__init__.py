"""Networks of n-ary gates, built from a ground program."""
