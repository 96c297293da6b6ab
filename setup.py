# SPDX-License-Identifier: BSD-3-Clause
"""Lets CMake build the compiled part of the binding to Python. The rest stands in pyproject.toml.

It needs CMake, a C++20 compiler, Eigen, SQLite and pybind11; components are linked into the module.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

root = Path(__file__).resolve().parent


def version():
    """The number of include/quoin/version.hpp."""
    text = (root / "include/quoin/version.hpp").read_text(encoding="utf-8")
    return ".".join(re.findall(r"^#define QUOIN_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)$", text, re.MULTILINE))


class CMakeBuild(build_ext):
    """Configures, builds and installs the component python beside the package's other files."""

    def build_extension(self, extension):
        to = Path(self.get_ext_fullpath(extension.name)).resolve().parent
        build = (Path(self.build_temp) / "cmake").resolve()
        off = ["TESTS", "EXAMPLES", "BENCHMARKS"]
        options = [f"-DQUOIN_BUILD_{part}=OFF" for part in off] + [
            "-DCMAKE_BUILD_TYPE=Release",
            "-DBUILD_SHARED_LIBS=OFF",
            "-DQUOIN_COMPONENTS=" + os.environ.get("QUOIN_COMPONENTS", "compiled_grid;storage;evaluation"),
            "-DQUOIN_INSTALL=ON",
            "-DQUOIN_BUILD_PYTHON=ON",
            f"-DQUOIN_PYTHON_PROGRAM={sys.executable}",
            "-DQUOIN_PYTHON_INSTALL_DIR=.",
        ]
        try:
            import pybind11

            options.append(f"-DQUOIN_PYBIND11_INCLUDE={pybind11.get_include()}")
        except ImportError:
            pass  # CMake looks for it
        environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
        for command in (
            ["cmake", "-S", str(root), "-B", str(build), *options],
            ["cmake", "--build", str(build), "--target", "quoin_python", "--parallel", str(self.parallel or 1)],
            ["cmake", "--install", str(build), "--component", "python", "--prefix", str(to.parent)],
        ):
            subprocess.run(command, check=True, env=environment)
        if not list(to.glob("_core*")):
            raise RuntimeError(f"CMake left the binding out; its words above say what is missing ({build})")


setup(version=version(), ext_modules=[Extension("quoin._core", sources=[])], cmdclass={"build_ext": CMakeBuild})
