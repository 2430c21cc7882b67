"""`beleg quantize`: a model in 4 bits, calibrated with the firm's own text and compared with the original."""

from __future__ import annotations

from pathlib import Path

import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

from app.cli.bundles import Bars
from app.config import Settings
from app.errors import Conflict, Invalid, NotFound
from models.bundles import BundleError, prepare
from models.quantize.types import Job, Method, QuantizeError, Report, Text

console = Console(highlight=False)


def quantize(
    model: str = typer.Argument(help="The original: a bundle's name, a hub id (`org/name`) or a local folder."),
    *,
    method: Method = typer.Option("awq", help="awq is the gentlest; rtn only rounds and is the quickest."),
    calibrate: str = typer.Option(
        ..., metavar="COLLECTION|FILE", help="Text like what it will read: a collection, or a text or JSONL file."
    ),
    out: Path = typer.Option(..., help="The folder to make."),
    tool: str = typer.Option("", help="For awq: autoawq instead of llmcompressor."),
    samples: int = typer.Option(128, min=16, help="Most sequences to calibrate with."),
    length: int = typer.Option(512, min=64, max=8192, help="Tokens in each sequence."),
    group_size: int = typer.Option(0, help="Weights that share a scale: 128, 64 or 32; 0: the largest that fits."),
    gpus: int = typer.Option(1, min=1, help="Cards the result will be split over (tensor parallel)."),
    person: str = typer.Option("", "--as", help="Read the collection as this person; else as the first administrator."),
) -> None:
    """Make a 4-bit version of a model: about a third of the memory. It is compared with the original on text kept back
    from calibration, and is yours only if it is near enough."""
    from models.quantize.tools import tool_for

    settings = Settings()
    if out.exists():
        raise Conflict(
            "%(out)s exists already and stays as it is.",
            "Name another folder with --out, or move it away.",
            out=str(out),
        )
    try:
        kit = tool_for(method, tool)
        text = read_text(settings, calibrate, person)
        with Bars(console, None) as bars:
            source = prepare(model, settings.models_dir, bars)
        job = Job(source, model, method, kit, out, group_size, gpus, samples, length)
        report = _run(job, text, settings)
    except (BundleError, QuantizeError) as error:
        raise Invalid(error.message, error.hint) from error
    _show(report, out)


def read_text(settings: Settings, name: str, person: str) -> Text:
    """The text of a file of that name, else of the collection. Raises NotFound where there is neither."""
    from app.accounts.first import local_viewer
    from app.calibration import collection_text, file_text
    from app.cli.collection import collection_named
    from app.cli.reading import open_stores
    from app.folders import make_folders

    if Path(name).is_file():
        return file_text(Path(name))
    make_folders(settings)
    with open_stores(settings) as stores, stores.database.session() as db:
        viewer = local_viewer(db, person)
        try:
            return collection_text(db, viewer, collection_named(db, viewer, name))
        except NotFound as error:
            raise NotFound(
                "There is no collection and no file %(name)s to calibrate with.", error.hint, name=name
            ) from error


def _run(job: Job, text: Text, settings: Settings) -> Report:
    from models.quantize.quantize import quantize as make

    with StepBars(console) as bars:
        return make(job, text, settings.models_dir.expanduser().parent / "quantize", bars)


class StepBars:
    """A bar for each step, with what it counts: "layer 3 of 30". Implements `models.quantize.types.Progress`."""

    def __init__(self, console: Console) -> None:
        self._bars = Progress(
            TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[share]}"), TimeElapsedColumn(),
            console=console,
        )  # fmt: skip
        self._tasks: dict[str, TaskID] = {}
        self._open = ""

    def __enter__(self) -> StepBars:
        self._bars.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bars.stop()

    def step(self, name: str, done: int, total: int, unit: str) -> None:
        if name not in self._tasks:
            self._end(self._open)
            self._tasks[name], self._open = self._bars.add_task(name, total=None, share=""), name
            if not self._bars.console.is_terminal:  # bars are drawn at the end only there: say what is going on
                self._bars.console.print(f"{name} ...")
        share = f"{unit} {done} of {total}" if unit else ""
        self._bars.update(self._tasks[name], completed=done, total=total or None, share=share)

    def _end(self, name: str) -> None:
        """A step that nobody counted ends when the next one begins."""
        if name:
            self._bars.update(self._tasks[name], completed=1, total=1, refresh=True)


def _show(report: Report, out: Path) -> None:
    found = report.comparison
    console.print(
        f"[green]done[/]  {escape(str(out))}: {report.bytes_before / 1e6:,.0f} MB are now "
        f"{report.bytes_after / 1e6:,.0f} MB. Same next token as the original at {found.agreement:.1%} of "
        f"{found.positions:,} places; perplexity {found.perplexity:.2f}, "
        f"the original's {found.original_perplexity:.2f}.",
        soft_wrap=True,
    )
    console.print(f"{report.serving} Use it with BELEG_MODEL={escape(str(out.resolve()))}", soft_wrap=True)
    console.print(f"The whole report: {escape(str(out / 'QUANTIZATION.md'))}", soft_wrap=True)
