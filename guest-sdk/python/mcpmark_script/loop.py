"""An event loop for a place without sockets and threads.

Nothing comes from outside, so that only timers are waited for; the host's clock is
virtual and waiting takes no time.
"""

import asyncio
import time

from mcpmark_script import gaps


class _Timers:
    """Stands where a loop has its selector."""

    def select(self, timeout):
        if timeout is None:
            gaps.stop("waits in asyncio for something that nothing here can bring")
        if timeout > 0:
            time.sleep(timeout)
        return []

    def close(self):
        pass


class Loop(asyncio.BaseEventLoop):
    """Runs coroutines, callbacks and timers, and executors in this thread."""

    def __init__(self):
        super().__init__()
        self._selector = _Timers()

    def _process_events(self, events):
        pass

    def _write_to_self(self):
        pass

    def run_in_executor(self, executor, func, *args):
        future = self.create_future()
        try:
            future.set_result(func(*args))
        except Exception as error:
            future.set_exception(error)
        return future

    async def shutdown_default_executor(self, timeout=None):
        pass

    async def _make_subprocess_transport(self, *_, **__):
        gaps.stop("starts a process (asyncio), and there are none here")


class _Policy(asyncio.events._BaseDefaultEventLoopPolicy):
    """Gives who asks for a loop before there is one a new one, as Python did up to 3.13."""

    _loop_factory = Loop
    _was_set = False

    def get_event_loop(self):
        if not self._was_set:
            self.set_event_loop(self.new_event_loop())
        return super().get_event_loop()

    def set_event_loop(self, loop):
        self._was_set = True
        super().set_event_loop(loop)


def install():
    """Makes it the loop that `asyncio.run` and `asyncio.new_event_loop` give."""
    for name, abstract in vars(asyncio.AbstractEventLoop).items():
        if not name.startswith("_") and getattr(Loop, name) is abstract:
            what = f"waits in asyncio for what comes from outside ({name}), and nothing does here"
            setattr(Loop, name, gaps.stopping(what))
    asyncio.SelectorEventLoop = asyncio.EventLoop = Loop
    asyncio.events._event_loop_policy = _Policy()
