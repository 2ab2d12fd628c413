"""Comparison of systems on the same tasks."""
