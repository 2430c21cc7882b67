"""The set-up behind `install.py`: machine, environment, packages. Standard library only."""
