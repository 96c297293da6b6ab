# SPDX-License-Identifier: BSD-3-Clause
import faulthandler
import os
import sys

import pytest

sys.path.insert(0, os.path.dirname(__file__))

#: seconds after which a test is taken for a deadlock: all stacks are printed, and the process ends
DEADLOCK = 120


@pytest.fixture(autouse=True)
def no_deadlock():
    faulthandler.dump_traceback_later(DEADLOCK, exit=True)
    yield
    faulthandler.cancel_dump_traceback_later()
