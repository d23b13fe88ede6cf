"""Private learning with correlated noise: mechanisms, accounting, exact theory and learners, with no user interface."""
