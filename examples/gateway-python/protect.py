"""A middleware of WSGI, for Flask and others, that asks Keyledger about the key of a request."""

import json
import re
import sys
from http import HTTPStatus

KEY = re.compile(r"Bearer +([\x21-\x7e]{1,512})", re.IGNORECASE)
STATUSES = {
    "MALFORMED": 401,
    "NOT_FOUND": 401,
    "ROTATED": 401,
    "DISABLED": 401,
    "EXPIRED": 401,
    "LIMIT_EXCEEDED": 429,
}


def protect(app, keyledger, workspace_id=None, user_of=lambda environ: None):
    """
    Returns an application that passes a request on to `app` only if its key may be used. `app`
    finds the key in `environ["keyledger.key"]`, as Keyledger describes it. `user_of` returns the end
    user whom your API has authenticated, for a budget of theirs.
    """
    said = set()

    def say(problem):
        if problem not in said:
            print(problem, file=sys.stderr, flush=True)
        said.add(problem)

    def ask(key, user):
        question = {"key": key, "workspace_id": workspace_id, "user": user}
        status, _, answer = keyledger.call("POST", "/v1/keys/verify", question, timeout=2)
        if status != 200:
            raise RuntimeError(f"Keyledger answered {status}")
        data = answer["data"]
        return data["valid"], data["code"], data["key"]

    def refuse(start_response, status, code):
        headers = [("Content-Type", "application/json")]
        if status == 401:
            headers.append(("WWW-Authenticate", "Bearer"))
        start_response(f"{status} {HTTPStatus(status).phrase}", headers)
        return [json.dumps({"error": {"code": status, "message": code}}).encode()]

    def protected(environ, start_response):
        match = KEY.fullmatch(environ.get("HTTP_AUTHORIZATION", ""))
        if match is None:
            return refuse(start_response, 401, "NO_KEY")
        try:
            valid, code, key = ask(match[1], user_of(environ))
        except Exception as error:  # Whatever is not a clear yes lets nobody in.
            say(str(error) or type(error).__name__)
            return refuse(start_response, 503, "UNAVAILABLE")
        if valid is not True:
            return refuse(start_response, STATUSES.get(code, 403), code)
        environ["keyledger.key"] = key
        return app(environ, start_response)

    return protected
