"""An API that asks Keyledger before each request, and reports after it."""

import json
import os
from socketserver import ThreadingMixIn
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

from keyledger_http import Keyledger
from protect import protect
from report import Reporter

keyledger = Keyledger(os.environ.get("ADDRESS", "http://127.0.0.1:3000"), os.environ.get("KEY"))
reporter = Reporter(keyledger, file="unanswered.json")


def api(environ, start_response):
    key = environ["keyledger.key"]
    start_response("200 OK", [("Content-Type", "application/json")])
    reporter.report({"key_hash": key["hash"], "cost": 0.01})
    return [json.dumps({"hello": key["name"]}).encode()]


class Server(ThreadingMixIn, WSGIServer):
    daemon_threads = True


class Quiet(WSGIRequestHandler):
    def log_message(self, *_):
        """Requests are not logged."""


port = int(os.environ.get("PORT", "8081"))
make_server("127.0.0.1", port, protect(api, keyledger), Server, Quiet).serve_forever()
