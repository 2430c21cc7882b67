"""`beleg user`: people of this server, for the administrator at the server's own keyboard."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import typer
from rich.console import Console
from rich.table import Table
from sqlalchemy.orm import Session

from app.accounts.first import local_viewer
from app.accounts.sessions import make_link
from app.accounts.users import create_user, deactivate, list_users, reset_password
from app.config import Settings
from app.db.migrate import upgrade
from app.db.session import Database
from app.folders import make_folders

app = typer.Typer(help="Add people, let them in, shut them out.", no_args_is_help=True)
console = Console(highlight=False)


@app.command("list")
def list_() -> None:
    """Show who there is."""
    with _database() as db:
        table = Table("name", "administrator", "active", "has a password")
        for user in list_users(db, local_viewer(db)):
            table.add_row(
                user.name,
                *("yes" if flag else "no" for flag in (user.is_admin, user.active, user.has_password)),
            )
    console.print(table)


@app.command()
def add(name: str, admin: bool = typer.Option(False, help="May manage users and the engine.")) -> None:
    """Add a person and print the link that signs them in once."""
    with _database() as db:
        secret = make_link(db, create_user(db, name, None, is_admin=admin).id)
    _show_link(name, secret)


@app.command()
def link(name: str) -> None:
    """Print a new one-time sign-in link (a forgotten password)."""
    with _database() as db:
        secret = make_link(db, local_viewer(db, name).user_id)
    _show_link(name, secret)


@app.command()
def password(name: str) -> None:
    """Set a password, asked for without showing it."""
    new = typer.prompt("New password", hide_input=True, confirmation_prompt=True)
    with _database() as db:
        reset_password(db, name, new)
    console.print(f"The password of {name} is set.")


@app.command()
def remove(name: str) -> None:
    """Shut a person out at once: sessions and keys end. Their collections stay."""
    with _database() as db:
        deactivate(db, local_viewer(db), local_viewer(db, name).user_id)
    console.print(f"{name} can no longer sign in.")


@contextmanager
def _database() -> Iterator[Session]:
    settings = Settings()
    make_folders(settings)
    database = Database(settings.database_url)
    upgrade(database)
    with database.session() as db:
        yield db
    database.close()


def _show_link(name: str, secret: str) -> None:
    console.print(
        f"This link signs {name} in, once, within 24 hours:\n\n    {Settings().url}/welcome/{secret}\n",
        soft_wrap=True,
    )
