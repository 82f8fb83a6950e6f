"""The machine of compiled joins: rule bodies as plans over the facts of one state, run by one kernel for all sheets."""
