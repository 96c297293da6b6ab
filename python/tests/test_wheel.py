# SPDX-License-Identifier: BSD-3-Clause
"""A wheel holds the package whole, pip takes it, and the source archive holds all that is needed to build it again."""

import base64
import csv
import email
import hashlib
import io
import os
import pathlib
import shutil
import subprocess
import sys
import tarfile
import zipfile

import pytest

import quoin
from quoin import _core

ROOT = pathlib.Path(__file__).resolve().parents[2]
BACKEND = ROOT / "packaging/quoin_wheel.py"
PACKAGE = pathlib.Path(_core.__file__).parent
BUILD = PACKAGE.parents[1]
INFO = f"quoin-{quoin.__version__}.dist-info"

pytestmark = pytest.mark.skipif(not (BUILD / "CMakeCache.txt").exists(), reason="quoin is not in a build folder")


def run(*command, **options):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)
    assert done.returncode == 0, done.stdout
    return done.stdout


def by_hand(what, folder, *settings, backend=BACKEND):
    return pathlib.Path(run(sys.executable, "-I", str(backend), what, str(folder), *settings).strip())


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    return by_hand("wheel", tmp_path_factory.mktemp("wheel"), f"build-dir={BUILD}")


@pytest.fixture(scope="module")
def unpacked(wheel, tmp_path_factory):
    folder = tmp_path_factory.mktemp("unpacked")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
    return folder


@pytest.fixture(scope="module")
def sdist(tmp_path_factory):
    return by_hand("sdist", tmp_path_factory.mktemp("sdist"))


@pytest.fixture(scope="module")
def sources(sdist, tmp_path_factory):
    folder = tmp_path_factory.mktemp("sources")
    with tarfile.open(sdist) as archive:
        archive.extractall(folder)
    return folder / f"quoin-{quoin.__version__}"


def files(folder):
    found = {path.relative_to(folder).as_posix() for path in folder.glob("**/*") if path.is_file()}
    return {path for path in found if "__pycache__" not in path}


def test_it_holds_the_files_of_the_package_as_they_are(unpacked):
    assert files(unpacked / "quoin") == files(PACKAGE)
    for path in files(PACKAGE):
        assert not (unpacked / "quoin" / path).is_symlink()
        assert (unpacked / "quoin" / path).read_bytes() == (PACKAGE / path).read_bytes(), path
    assert files(unpacked / INFO) == {"LICENSE", "METADATA", "RECORD", "WHEEL"}


def test_its_record_is_of_all_files_with_their_hashes(unpacked):
    recorded = {}
    for path, digest, size in csv.reader(io.StringIO((unpacked / INFO / "RECORD").read_text())):
        recorded[path] = digest, size
    assert recorded.pop(f"{INFO}/RECORD") == ("", "")
    assert set(recorded) == files(unpacked) - {f"{INFO}/RECORD"}
    for path, (digest, size) in recorded.items():
        content = (unpacked / path).read_bytes()
        expected = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).decode().rstrip("=")
        assert (digest, size) == (f"sha256={expected}", str(len(content))), path


def test_its_metadata_say_what_it_is_and_needs(wheel, unpacked):
    said = email.message_from_string((unpacked / INFO / "METADATA").read_text(encoding="utf-8"))
    assert (said["Name"], said["Version"], said["License"]) == ("quoin", quoin.__version__, "BSD-3-Clause")
    assert said["Requires-Python"] == ">=3.9"
    needs = said.get_all("Requires-Dist")
    assert needs[0].startswith("numpy >=1.20")
    assert all(f"; extra == \"{extra}\"" in need for extra, need in zip(said.get_all("Provides-Extra"), needs[1:]))
    assert said.get_payload().startswith("# Quoin")
    tags = email.message_from_string((unpacked / INFO / "WHEEL").read_text()).get_all("Tag")
    assert wheel.name == f"quoin-{quoin.__version__}-{tags[0]}.whl"


def test_a_clean_interpreter_imports_it(unpacked, tmp_path):
    code = f"""
import sys
sys.path.insert(0, {str(unpacked)!r})
import quoin
grid = quoin.AdaptiveGrid(lambda x: ([x[0] ** 2], [[2 * x[0]]]), spacing=[0.5])
print(quoin.__file__, grid([0.3])[0], quoin.__version__)"""
    name, value, number = run(sys.executable, "-I", "-c", code, cwd=tmp_path).split()
    assert name == str(unpacked / "quoin/__init__.py") and number == quoin.__version__
    assert abs(float(value) - 0.09) < 1e-14


def test_pip_makes_the_same_and_installs_it(wheel, tmp_path):
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check"]
    listed = subprocess.run([*pip, "wheel", "--help"], capture_output=True, text=True).stdout
    if "--config-settings" not in listed:
        pytest.skip("no pip from 22.1 on (Debian: python3-pip)")
    without = ["--no-index", "--no-deps"]
    run(*pip, "wheel", *without, f"--config-settings=build-dir={BUILD}", "-w", str(tmp_path), str(ROOT))
    assert (tmp_path / wheel.name).read_bytes() == wheel.read_bytes()
    run(*pip, "install", *without, "--target", str(tmp_path / "there"), str(wheel))
    assert files(tmp_path / "there/quoin") == files(PACKAGE)


def test_an_editable_one_leads_to_the_build_folder(tmp_path):
    with zipfile.ZipFile(by_hand("editable", tmp_path, f"build-dir={BUILD}")) as archive:
        assert archive.read("quoin.pth").decode() == f"{PACKAGE.parent}\n"


def test_the_source_archive_makes_itself_again(sdist, sources, tmp_path):
    again = by_hand("sdist", tmp_path, backend=sources / "packaging/quoin_wheel.py")
    assert again.name == sdist.name and again.read_bytes() == sdist.read_bytes()
    assert (sources / "PKG-INFO").read_text(encoding="utf-8").startswith("Metadata-Version: ")
    for folder in ("include", "src", "python", "tests", "docs"):
        needed = {name for name in files(ROOT / folder) if name.endswith((".hpp", ".cpp", ".py", ".md"))}
        assert files(sources / folder) >= needed


@pytest.mark.skipif(not (shutil.which("cmake") and shutil.which("ninja")), reason="there is no cmake or ninja")
def test_cmake_configures_the_source_archive(sources, unpacked, tmp_path):
    code = "import quoin_wheel, sys; print(quoin_wheel.prepare_metadata_for_build_wheel(sys.argv[1]))"
    run(sys.executable, "-c", code, str(tmp_path), cwd=sources / "packaging")
    said, expected = (folder / INFO / "METADATA" for folder in (tmp_path, unpacked))
    assert said.read_text() == expected.read_text()


def test_what_is_missing_is_named_with_debians_packages(sources, tmp_path):
    command = [sys.executable, "-I", str(sources / "packaging/quoin_wheel.py"), "wheel", str(tmp_path)]
    done = subprocess.run(command, env={**os.environ, "PATH": str(tmp_path)}, capture_output=True, text=True)
    assert done.returncode == 1
    for words in ("there is no cmake", "apt-get install", "pybind11-dev", "libeigen3-dev", "ninja-build"):
        assert words in done.stderr
    assert "Traceback" not in done.stderr

    done = subprocess.run([*command, f"build-dir={tmp_path}"], capture_output=True, text=True)
    assert done.returncode == 1 and "the binding is not built, or for another Python" in done.stderr
