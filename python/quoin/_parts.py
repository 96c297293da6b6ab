# SPDX-License-Identifier: BSD-3-Clause
"""The parts of the package that are there only where their components were built."""

from __future__ import annotations

from quoin import _core


def need(part: str, *components: str, package: str = "") -> None:
    """Raises ImportError, naming the CMake components, if the compiled part lacks the module quoin.<part>.

    package: what Debian calls a library that the part needs besides.
    """
    if part not in _core.parts:
        wanted = ";".join(components)
        besides = f"; it also needs the Debian package {package}" if package else ""
        raise ImportError(
            f"quoin.{part}: quoin was built without {' or '.join(components)}; configure it with these among "
            f"QUOIN_COMPONENTS ({wanted}){besides}",
            name=f"quoin.{part}",
        )
