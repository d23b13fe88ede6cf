"""Jobs: exact pause, step and cancel, from any thread, without any user interface."""

import subprocess
import sys
import threading
import time

import pytest

from core.jobs import Job


def until(condition, seconds=10.0):
    """Wait for what another thread will do; fail loudly when it does not."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "the job did not get there"
        time.sleep(0.001)


class Gate:
    """A stream that counts what it computed and whether it was closed."""

    def __init__(self, length=10**9, fail_at=None):
        self.computed, self.closed = 0, False
        self.length, self.fail_at = length, fail_at

    def __iter__(self):
        return self

    def __next__(self):
        if self.computed == self.length:
            raise StopIteration
        if self.computed == self.fail_at:
            raise ArithmeticError("the moon is full")
        self.computed += 1
        time.sleep(1e-4)
        return self.computed

    def close(self):
        self.closed = True


def test_a_job_runs_its_stream_to_the_end_in_order():
    job = Job(iter(range(50)), total=50)
    assert job.state == "fresh" and job.latest is None and job.snapshots == [] and job.rate == 0.0
    job.start()
    until(lambda: job.state == "finished")
    assert job.snapshots == list(range(50)) and job.latest == 49 and job.error == ""
    assert job.elapsed > 0 and job.rate == pytest.approx(50 / job.elapsed)


def test_nothing_is_computed_before_the_start():
    stream = Gate()
    job = Job(stream)
    time.sleep(0.02)
    assert stream.computed == 0
    job.cancel()
    assert job.state == "cancelled"
    job.start()
    assert job.state == "cancelled" and stream.computed == 0


def test_step_publishes_exactly_n_and_pauses():
    job = Job(Gate())
    job.step()
    assert job.wait(10) and job.state == "paused" and job.snapshots == [1]
    job.step(5)
    assert job.wait(10) and job.snapshots == [1, 2, 3, 4, 5, 6]
    time.sleep(0.02)
    assert job.snapshots == [1, 2, 3, 4, 5, 6]
    job.cancel()


def test_steps_ordered_at_once_add_up():
    job = Job(Gate())
    for _ in range(7):
        job.step()
    assert job.wait(10) and job.snapshots == list(range(1, 8))
    job.cancel()


def test_resume_runs_on_from_steps_that_were_ordered():
    release = threading.Event()
    job = Job(release.wait(10) and number for number in range(5))
    job.step()
    job.resume()
    release.set()
    until(lambda: job.state == "finished")
    assert len(job.snapshots) == 5


def test_step_in_free_running_publishes_exactly_n_more_and_pauses():
    job = Job(Gate())
    job.start()
    until(lambda: job.snapshots)
    with job._changed:  # no snapshot may slip in between the count and the order
        before = len(job.snapshots)
        job.step(3)
    assert job.wait(10) and job.state == "paused" and len(job.snapshots) == before + 3
    job.cancel()


def test_nothing_is_published_after_pause_returns_and_resume_loses_nothing():
    stream = Gate()
    job = Job(stream)
    job.start()
    until(lambda: len(job.snapshots) > 5)
    job.pause()
    seen = job.snapshots
    assert job.state == "paused"
    time.sleep(0.03)
    assert job.snapshots == seen and job.latest == seen[-1]
    assert stream.computed <= len(seen) + 1  # at most the one held back
    job.resume()
    until(lambda: len(job.snapshots) > len(seen) + 5)
    job.cancel()
    assert job.snapshots == list(range(1, len(job.snapshots) + 1))


def test_nothing_is_published_after_cancel_returns_and_the_stream_is_closed():
    stream = Gate()
    job = Job(stream)
    job.start()
    until(lambda: len(job.snapshots) > 5)
    job.cancel()
    seen = job.snapshots
    assert job.state == "cancelled"
    until(lambda: stream.closed)
    assert job.snapshots == seen and stream.computed <= len(seen) + 1
    for late_click in (job.start, job.pause, job.resume, job.step, job.cancel):
        late_click()
    assert job.state == "cancelled" and job.snapshots == seen


def test_cancel_ends_a_paused_job_and_its_thread():
    stream = Gate()
    job = Job(stream)
    job.step()
    assert job.wait(10)
    job.cancel()
    until(lambda: not job._thread.is_alive())
    assert stream.closed and job.snapshots == [1]


def test_a_generator_is_closed_in_its_own_thread_when_cancelled():
    ended = []

    def stream():
        try:
            while True:
                yield 1
        finally:
            ended.append(threading.current_thread().name)

    job = Job(stream())
    job.step()
    assert job.wait(10)
    job.cancel()
    until(lambda: ended)
    assert ended == ["job"]


def test_the_end_of_the_stream_is_noticed_without_another_step():
    job = Job(Gate(length=2))
    job.step(2)
    until(lambda: job.state == "finished")
    assert job.snapshots == [1, 2]


def test_steps_beyond_the_end_finish():
    job = Job(Gate(length=2))
    job.step(10)
    until(lambda: job.state == "finished")
    assert job.snapshots == [1, 2]


def test_a_failing_stream_ends_the_job_with_a_sentence_and_keeps_what_there_was():
    stream = Gate(fail_at=3)
    job = Job(stream)
    job.start()
    until(lambda: job.state == "failed")
    assert job.error == "ArithmeticError: the moon is full" and job.snapshots == [1, 2, 3]
    until(lambda: stream.closed)


def test_keep_decides_what_is_remembered_and_latest_stays_whole():
    job = Job(iter([{"theta": "large", "step": k} for k in range(3)]), keep=lambda snapshot: snapshot["step"])
    job.start()
    until(lambda: job.state == "finished")
    assert job.snapshots == [0, 1, 2] and job.latest == {"theta": "large", "step": 2}


def test_elapsed_leaves_pauses_out():
    job = Job(Gate())
    job.step(3)
    assert job.wait(10)
    ran = job.elapsed
    time.sleep(0.02)
    assert job.elapsed == ran > 0
    job.cancel()


def test_the_list_of_snapshots_is_the_callers_own():
    job = Job(Gate(length=3))
    job.start()
    until(lambda: job.state == "finished")
    job.snapshots.clear()
    assert job.snapshots == [1, 2, 3]


def test_wait_times_out_while_running():
    job = Job(Gate())
    job.start()
    assert job.wait(0.01) is False
    job.cancel()
    assert job.wait(0.01) is True


def test_many_threads_may_order_steps_at_once():
    job = Job(Gate())
    threads = [threading.Thread(target=lambda: [job.step() for _ in range(25)]) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert job.wait(10) and job.snapshots == list(range(1, 101))
    job.cancel()


def test_leaving_python_ends_a_running_job_and_closes_its_stream():
    code = """
import time
from core.jobs import Job

def stream():
    try:
        while True:
            time.sleep(0.2)
            yield 1
    finally:
        print("closed")

job = Job(stream())
job.start()
time.sleep(0.05)
"""
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=30)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "closed\n", "")
