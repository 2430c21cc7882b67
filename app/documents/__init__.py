"""Documents: accepted, read, indexed, deleted."""
