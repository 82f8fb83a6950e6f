"""The reasoner: bottom-up Datalog evaluation with stratified negation, and explanations."""
