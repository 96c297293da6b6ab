# SPDX-License-Identifier: BSD-3-Clause
"""Signals that come while a pool starts, which must not cut it in two, are handled once, and stay set as they were."""

import random
import signal

import pytest
from test_pools_end import DRAWS, SEED, ended, program

from quoin import _core


@pytest.mark.parametrize("draw", range(DRAWS))
def test_an_event_loop_hears_of_each_once(tmp_path, draw):
    rng = random.Random(SEED * 1000 + draw)
    main = f"""
        import asyncio
        number = signal.{rng.choice(["SIGUSR1", "SIGTERM", "SIGINT", "SIGRTMIN"])}
        heard, sent = [], []
        def send(until):
            while not until.wait({rng.uniform(0.002, 0.02)}):
                sent.append(os.kill(os.getpid(), number))
        async def ask():
            asyncio.get_running_loop().add_signal_handler(number, heard.append, True)
            until = threading.Event()
            sender = threading.Thread(target=send, args=(until,))
            sender.start()
            for k in range(5):
                grid(identity).prefetch(np.arange(0, {rng.choice([8.0, 200.0])})[:, None])
            until.set()
            sender.join()
            await asyncio.sleep(0.2)
        asyncio.run(ask())
        print(0.7 * len(sent) < len(heard) <= len(sent) or (len(heard), len(sent)), flush=True)
    """
    assert ended(program(tmp_path, main), 60) == ("True\n", "")


def test_calls_of_the_system_go_on_behind_them_where_they_did(tmp_path):
    main = """
        from quoin import _core
        signal.signal(signal.SIGUSR1, lambda number, frame: None)
        for goes_on in (True, False):
            signal.siginterrupt(signal.SIGUSR1, not goes_on)
            grid(identity).prefetch(np.arange(0, 8.0)[:, None])
            print(_core.restarts_calls(signal.SIGUSR1) is goes_on, flush=True)
    """
    assert ended(program(tmp_path, main), 60) == ("True\nTrue\n", "")


def test_whether_they_do_is_read_as_it_was_set():
    before = signal.signal(signal.SIGUSR1, signal.SIG_IGN)
    try:
        for interrupts in (True, False):
            signal.siginterrupt(signal.SIGUSR1, interrupts)
            assert _core.restarts_calls(signal.SIGUSR1) is not interrupts
    finally:
        signal.signal(signal.SIGUSR1, before)
