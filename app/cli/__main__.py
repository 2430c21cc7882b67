"""`python -m app.cli` is the `beleg` command."""

from app.cli.main import main

main()
