"""Reports to Keyledger what requests have cost. A thread sends the reports: no request waits."""

import json
import os
import sys
import threading
import time
import uuid
from collections import deque
from datetime import datetime, timezone
from decimal import Decimal


class Reporter:
    def __init__(self, keyledger, file):
        """`file` keeps the reports that are not answered. Each process needs its own."""
        self._keyledger = keyledger
        self._file = file
        self._pending = deque()
        self._lock = threading.Lock()
        self._said = {}
        self._reports = self._stored()
        threading.Thread(target=self._run, daemon=True).start()

    def report(self, record):
        """Takes a record of a report, from any thread. Never waits, and never raises."""
        try:
            text = json.dumps({"occurred_at": now(), **record}, default=plain, allow_nan=False)
            self._pending.append(json.loads(text))
        except Exception as error:
            self._say("not a record", str(error))
        if len(self._pending) > 98_000:
            self._say("too many, dropped the oldest", len(self._take()))

    def _take(self):
        """Takes the oldest 1,000 records."""
        with self._lock:
            return [self._pending.popleft() for _ in range(min(1_000, len(self._pending)))]

    def _say(self, kind, details):
        """Prints a problem, at most once an hour for each kind."""
        if time.monotonic() - self._said.get(kind, -3_600) >= 3_600:
            self._said[kind] = time.monotonic()
            print(f"Usage reports: {kind}: {json.dumps(details)}", file=sys.stderr, flush=True)

    def _stored(self):
        try:
            with open(self._file, encoding="utf-8") as file:
                reports = json.load(file)
            if not isinstance(reports, list):
                raise ValueError("not a list of reports")
            return reports
        except FileNotFoundError:
            return []
        except (OSError, ValueError) as error:
            self._say("lost", str(error))
            return []

    def _store(self):
        try:
            with open(f"{self._file}.new", "w", encoding="utf-8") as file:
                json.dump(self._reports, file)
            os.replace(f"{self._file}.new", self._file)
        except OSError as error:
            self._say("not stored", str(error))

    def _run(self):
        while True:
            if len(self._pending) < 1_000:
                time.sleep(1)
            records = self._take()
            if records:
                self._reports.append({"id": str(uuid.uuid4()), "records": records})
            while self._reports:
                self._store()
                first, *others = self._reports
                try:
                    left = self._send(**first)
                except Exception as error:
                    self._say("no answer", str(error) or type(error).__name__)
                    time.sleep(1)
                    left = [first]
                self._reports = [report for report in left + others if report["records"]]

    def _send(self, id, records):
        """Sends a report. Returns what to send in place of it."""
        status, headers, answer = self._keyledger.call(
            "PUT", f"/v1/usage-reports/{id}", {"records": records}, timeout=15
        )
        data, error = (answer or {}).get("data"), (answer or {}).get("error") or {}
        if data:
            if data["unattributed"]:
                self._say("charged to nobody", data["unattributed"][0])
            return []
        reason = error.get("metadata", {}).get("reason")
        issues = error.get("metadata", {}).get("issues", [])
        # The index of each record in a path such as `records.7.cost`.
        bad = {issue["path"].removeprefix("records.").split(".")[0] for issue in issues}
        self._say(f"{status} {reason}", issues[0] if issues else error.get("message"))
        if bad & {str(index) for index in range(len(records))}:
            # Without a time they are charged, if a little late.
            is_early_or_late = reason == "occurred-at-out-of-range"
            kept = [
                record
                for index, record in enumerate(records)
                if str(index) not in bad or (is_early_or_late and record.pop("occurred_at", None))
            ]
            return [{"id": id, "records": kept}]
        if (status == 413 or reason == "body-too-complex") and len(records) > 1:
            half = len(records) // 2
            return [
                {"id": id, "records": records[:half]},
                {"id": str(uuid.uuid4()), "records": records[half:]},
            ]
        if 400 <= status < 500 and status not in (408, 429):
            return []
        retry_after = headers.get("Retry-After", "")
        seconds = int(retry_after) if retry_after.isdecimal() else 1
        time.sleep(min(max(seconds, 1), 3_600))
        return [{"id": id, "records": records}]


def now():
    time_of_use = datetime.now(timezone.utc).isoformat(timespec="milliseconds")
    return time_of_use.replace("+00:00", "Z")


def plain(value):
    """Gives an amount of decimal type as a text, which Keyledger counts exactly."""
    if isinstance(value, Decimal):
        return str(value)
    raise TypeError(f"{type(value).__name__} is not JSON")
