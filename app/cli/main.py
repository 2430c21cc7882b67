"""The `beleg` command: one file a subcommand, put together here. Errors end in a sentence, not a traceback."""

from __future__ import annotations

import sys

import typer
from pydantic import ValidationError
from rich.console import Console

from app.cli import ask, bench, doctor, ingest, inspect, plan, quantize, reindex, serve, up, user, watch
from app.errors import BelegError

app = typer.Typer(
    name="beleg",
    help="Answers from your own documents, with the line that proves them.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
app.command("up")(up.up)
app.command("ask")(ask.ask)
app.command("ingest")(ingest.ingest)
app.command("watch")(watch.watch)
app.command("inspect")(inspect.inspect)
app.command("reindex")(reindex.reindex)
app.command("doctor")(doctor.doctor)
app.command("plan")(plan.plan)
app.command("serve")(serve.serve)
app.command("quantize")(quantize.quantize)
app.add_typer(user.app, name="user")
app.add_typer(bench.app, name="bench")


def main() -> None:
    """Runs the command. Exit codes: 0 done, 1 refused or failed with a sentence, 2 wrong use, 130 interrupted."""
    try:
        app()
    except BelegError as error:
        _say(str(error), error.hint % error.values if error.values else error.hint)
        sys.exit(1)
    except ValidationError as error:
        _say(
            _wrong_settings(error), "Correct it in the environment or in the file .env; the README lists all settings."
        )
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(130)


def _wrong_settings(error: ValidationError) -> str:
    """Names each setting as it stands in the environment. Values are not repeated: one may be a key."""
    return " ".join(f"BELEG_{str(e['loc'][0]).upper()} cannot be used: {e['msg']}." for e in error.errors())


def _say(message: str, hint: str) -> None:
    console = Console(stderr=True, highlight=False)
    console.print(message, style="bold red", markup=False, soft_wrap=True)
    if hint:
        console.print(hint, markup=False, soft_wrap=True)
