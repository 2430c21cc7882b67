"""From a question to a proved answer."""
