"""The steps from one schema to the next, in order. Made with `alembic revision --autogenerate`, then read by
a person."""
