"""
A process of an API that reports each record that its parent sends, by the example in Python. Its
time passes 20 times as fast, and it tells its parent how long it wanted to wait. Answers may take a
quarter of their time. The channel is that of `child_process`: lines of JSON.
"""

import json
import os
import socket
import sys
import threading
import time

SPEED = 20
SPEED_OF_ANSWERS = 4
LONGEST = 0.2

channel = socket.socket(fileno=int(os.environ["NODE_CHANNEL_FD"])).makefile("rw", encoding="utf-8")
one_at_a_time = threading.Lock()
sleep = time.sleep


def tell(**message):
    with one_at_a_time:
        channel.write(json.dumps(message) + "\n")
        channel.flush()


def faster(seconds):
    tell(waits=seconds * 1_000)
    sleep(min(seconds / SPEED, LONGEST))


time.sleep = faster
sys.path.insert(0, os.environ["FOLDER"])
from keyledger_http import Keyledger  # noqa: E402
from report import Reporter  # noqa: E402


class Faster(Keyledger):
    def call(self, method, path, body, timeout):
        tell(expectsAnswerWithin=timeout * 1_000)
        return super().call(method, path, body, timeout / SPEED_OF_ANSWERS)


circular = {}
circular["user"] = circular
NO_RECORDS = [{"cost": float("nan")}, {"cost": object()}, circular, 1, None]

keyledger = Faster(os.environ["ADDRESS"], os.environ["KEY"])
reporter = Reporter(keyledger, file="unanswered.json")
tell(took=0)
for line in channel:
    records = json.loads(line)
    for record in records:
        for one in NO_RECORDS if record == "no records" else [record]:
            reporter.report(one)
    tell(took=len(records))
