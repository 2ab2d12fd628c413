"""The hierarchical model of tasks and rollouts: two engines, one posterior."""
