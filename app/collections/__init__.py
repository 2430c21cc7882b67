"""Collections and who may see them."""
