"""A model in 4 bits: by a tool in an environment of its own, and compared with the original before it counts."""
