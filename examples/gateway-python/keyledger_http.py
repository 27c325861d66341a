"""Calls Keyledger over HTTP."""

import json
from http.client import HTTPConnection, HTTPSConnection
from urllib.parse import urlsplit


class Keyledger:
    def __init__(self, address, management_key):
        if not management_key:
            raise ValueError("KEY is empty")
        self._url = urlsplit(address)
        self._headers = {
            "Authorization": f"Bearer {management_key}",
            "Content-Type": "application/json",
        }

    def call(self, method, path, body, timeout):
        """
        Returns the status, the headers and the body of an answer; None for a body that is not JSON.
        Does not follow redirects, because the management key is for one address.
        """
        kind = HTTPSConnection if self._url.scheme == "https" else HTTPConnection
        connection = kind(self._url.netloc, timeout=timeout)
        try:
            connection.request(method, self._url.path + path, json.dumps(body), self._headers)
            answer = connection.getresponse()
            text = answer.read()
        finally:
            connection.close()
        try:
            return answer.status, answer.headers, json.loads(text)
        except ValueError:
            return answer.status, answer.headers, None
