# SPDX-License-Identifier: BSD-3-Clause
import faulthandler
import os
import sys

import pytest

sys.path.insert(0, os.path.dirname(__file__))

#: seconds, also on a machine with much else to do; then all stacks are printed, and the process ends
DEADLOCK = 500


@pytest.fixture(autouse=True)
def no_deadlock():
    """A test that takes this long is one that waits for itself."""
    faulthandler.dump_traceback_later(DEADLOCK, exit=True)
    yield
    faulthandler.cancel_dump_traceback_later()
