"""The set-up: what it decides, what it says, what it leaves behind."""
