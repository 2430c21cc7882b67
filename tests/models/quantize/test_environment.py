"""A tool's environment: pinned, linked where Beleg has the same, whole or not at all."""

from __future__ import annotations

import subprocess
from importlib.metadata import distribution, version
from pathlib import Path

import pytest

from models.quantize import environment as environments
from models.quantize.environment import environment
from models.quantize.linking import Pin, plan, read_pins
from models.quantize.room import check_disk, check_memory
from models.quantize.tools import KITS, ToolKit
from models.quantize.types import QuantizeError, Silent

EMPTY_INDEX = "http://127.0.0.1:9/simple"


class Kit(ToolKit):
    """A kit whose requirements lie where the test puts them."""

    folder: Path

    @property
    def requirements(self) -> Path:
        return self.folder / "kit.txt"


def kit(folder: Path, requirements: str, probe: str) -> ToolKit:
    made = Kit("autoawq", "none", (probe,), 1000)
    object.__setattr__(made, "folder", folder)
    (folder / "kit.txt").write_text(requirements)
    return made


def run(python: Path, code: str) -> str:
    ran = subprocess.run([python, "-P", "-c", code], check=False, capture_output=True, text=True, timeout=60)
    return ran.stdout.strip() or ran.stderr.strip().splitlines()[-1]


def test_what_is_here_in_the_same_version_is_linked_and_nothing_else_is_seen(tmp_path: Path) -> None:
    wanted = kit(tmp_path, f"markdown-it-py=={version('markdown-it-py')}\nmdurl  # as it is here\n", "markdown_it")
    python = environment(wanted, tmp_path / "tools", Silent())
    assert "python" in run(python, "import markdown_it, mdurl; print('python')")
    assert "No module named 'pydantic'" in run(python, "import pydantic")
    assert environment(wanted, tmp_path / "tools", Silent()) == python, "made once"
    assert {path.name for path in (tmp_path / "tools").iterdir() if not path.name.endswith(".lock")} == {
        python.parent.parent.name
    }


def test_one_that_does_not_load_is_not_kept(tmp_path: Path) -> None:
    with pytest.raises(QuantizeError, match="No module named 'no_such_module'"):
        environment(kit(tmp_path, "mdurl\n", "no_such_module"), tmp_path / "tools", Silent())
    assert [path.suffix for path in (tmp_path / "tools").iterdir()] == [".lock"]


def test_other_pins_make_another_environment(tmp_path: Path) -> None:
    one = environment(kit(tmp_path, "mdurl\n", "mdurl"), tmp_path / "tools", Silent())
    two = environment(kit(tmp_path, "mdurl\nidna\n", "idna"), tmp_path / "tools", Silent())
    assert one != two
    assert "No module named 'idna'" in run(one, "import idna")


def test_one_whose_links_lead_nowhere_is_made_anew(tmp_path: Path) -> None:
    wanted = kit(tmp_path, "mdurl\n", "mdurl")
    python = environment(wanted, tmp_path / "tools", Silent())
    (link,) = (python.parent.parent / "lib").glob("python*/site-packages/mdurl")
    link.unlink()
    link.symlink_to(tmp_path / "gone")
    assert run(environment(wanted, tmp_path / "tools", Silent()), "import mdurl; print('back')") == "back"


def test_without_a_network_it_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIP_INDEX_URL", EMPTY_INDEX)
    monkeypatch.setenv("PIP_EXTRA_INDEX_URL", EMPTY_INDEX)
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    monkeypatch.setattr(environments, "PIP", ("--no-deps", "--retries=1", "--timeout=2"))
    with pytest.raises(QuantizeError) as failed:
        environment(kit(tmp_path, "no-such-package==1.0\n", "mdurl"), tmp_path / "tools", Silent())
    assert "package index cannot be reached" in failed.value.message
    assert [path.suffix for path in (tmp_path / "tools").iterdir()] == [".lock"], "no half-made one is left"


@pytest.mark.parametrize("name", KITS)
def test_requirements_are_exact_and_torch_is_beleg_s_own(name: str) -> None:
    pins = read_pins(KITS[name].requirements)  # type: ignore[index]
    assert [pin.name for pin in pins if not pin.version] == ["torch"]
    assert name in {pin.name for pin in pins}
    packages = plan(pins)
    assert "torch" in {one.name for one in packages.linked}
    assert not {pin.name for pin in packages.fetched} & {"torch", "numpy", "triton"}


def test_a_loose_requirement_is_no_pin(tmp_path: Path) -> None:
    (tmp_path / "loose.txt").write_text("rich>=14\n")
    with pytest.raises(ValueError, match="no exact pin"):
        read_pins(tmp_path / "loose.txt")


def test_a_pin_wins_over_what_a_linked_package_brings() -> None:
    packages = plan([Pin("markdown-it-py", ""), Pin("mdurl", "0.0.1")])
    assert [one.name for one in packages.linked] == ["markdown-it-py"]
    assert packages.fetched == (Pin("mdurl", "0.0.1"),)
    assert distribution("mdurl").version != "0.0.1"


def test_what_is_missing_here_is_a_sentence() -> None:
    with pytest.raises(QuantizeError, match="lacks no-such-package"):
        plan([Pin("no-such-package", "")])


def test_too_little_disk_or_memory_is_said_in_gigabytes(tmp_path: Path) -> None:
    check_disk(tmp_path / "not" / "there", 1, "The result")
    with pytest.raises(QuantizeError, match=r"The result needs .* GB on the disk of"):
        check_disk(tmp_path / "not" / "there", 1 << 60, "The result")
    check_memory(1 << 20)
    with pytest.raises(QuantizeError, match="of memory, and this machine has"):
        check_memory(1 << 50)
