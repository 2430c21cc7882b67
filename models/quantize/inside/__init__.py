"""What runs in a tool's environment: imports its packages and the standard library, nothing else of ours."""
