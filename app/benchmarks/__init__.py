"""What `beleg bench` measures."""
