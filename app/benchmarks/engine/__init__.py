"""What `beleg bench engine` measures: batching, what Beleg adds in front of the engine, and scheduling policies."""
