"""Users, sessions, API keys."""
