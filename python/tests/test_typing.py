# SPDX-License-Identifier: BSD-3-Clause
"""The types are complete, and the stub of the compiled part says what is there."""

import inspect
import os
import subprocess
import sys

import pytest

import quoin

PACKAGE = os.path.dirname(os.path.abspath(quoin.__file__))

PARTS = set("aico collocation fluidic_arm identification planning rigid_body soft_arm swimmer topology".split())


def run(*command, **environment):
    done = subprocess.run(
        [sys.executable, "-m", *command],
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
        cwd=os.path.dirname(PACKAGE),
    )
    return done.returncode, done.stdout + done.stderr


def test_mypy_strict_passes_on_the_package_and_on_its_use(tmp_path):
    pytest.importorskip("mypy", reason="python3-mypy is not installed")
    user = tmp_path / "user.py"
    user.write_text(
        "import numpy as np\nimport quoin\n"
        "grid = quoin.AdaptiveGrid(lambda x: (x, np.eye(2)), spacing=[0.5, 0.5])\n"
        "y, J = grid.value_and_jacobian(np.zeros(2))\nlevel: int = grid.at_level(1).level\nnorm: float = float(y @ y)\n"
    )
    status, output = run("mypy", "--strict", "--no-incremental", "-p", "quoin", "-p", "user", MYPYPATH=str(tmp_path))
    assert status == 0, output


def test_stubtest_passes(tmp_path):
    pytest.importorskip("mypy", reason="python3-mypy is not installed")
    _, output = run("mypy.stubtest", "--concise", "quoin._core", MYPYPATH=os.path.dirname(PACKAGE))
    # pybind11's classes have a metaclass of their own, and those without a constructor an __init__ that refuses all
    of_pybind11 = ("metaclass differs", 'does not have *args argument "args"')
    # the stub has all parts; a build may lack some
    absent = () if PARTS <= set(quoin._core.parts) else (" is not present at runtime",)
    lines = [line for line in output.splitlines() if line.startswith("quoin.") or "error" in line]
    assert "quoin._core" in output and not [line for line in lines if not line.endswith(of_pybind11 + absent)], output


def test_everything_public_has_a_docstring_and_a_signature():
    for name in quoin.__all__:
        public = getattr(quoin, name)
        if not inspect.isclass(public) and not inspect.isfunction(public):
            continue
        assert inspect.getdoc(public), name
        if inspect.isclass(public) and public.__module__.startswith("quoin") and issubclass(public, quoin.Map):
            for attribute, member in inspect.getmembers(public):
                if not attribute.startswith("_"):
                    assert inspect.getdoc(member), f"{name}.{attribute}"
    assert str(inspect.signature(quoin.Map.vjp)) == "(self, x, v, /)"


def test_the_docstrings_of_functions_and_classes_name_their_parameters():
    validate = pytest.importorskip("numpydoc.validate", reason="python3-numpydoc is not installed")
    wrong_parameters = {"PR01", "PR02", "PR03", "PR10"}
    for name in (
        "AdaptiveGrid.linear_output",
        "interleave",
        "with_fallback",
        "check_derivatives",
        "suggest_resolutions",
        "suggest_surrogate",
    ):
        errors = validate.validate(f"quoin.{name}")["errors"]
        assert not [error for error in errors if error[0] in wrong_parameters], (name, errors)
