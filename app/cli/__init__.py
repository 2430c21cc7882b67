"""The `beleg` command."""
