"""The vLLM engine: its process and the client that talks to it."""
