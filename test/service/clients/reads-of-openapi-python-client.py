"""Reads the answers of a file by a client that openapi-python-client generated, and prints what it read."""

import importlib
import json
import pkgutil
import re
import sys

import httpx
import keyledger.api
from keyledger.client import AuthenticatedClient

client = AuthenticatedClient(base_url="http://localhost", token="none")
operations = {}
for tag in pkgutil.iter_modules(keyledger.api.__path__):
    package = importlib.import_module(f"keyledger.api.{tag.name}")
    for module in pkgutil.iter_modules(package.__path__):
        operations[module.name] = importlib.import_module(f"{package.__name__}.{module.name}")


def read(operation_id, status, body):
    """Reads an answer as the call of the operation does that got it."""
    name = re.sub(r"(?=[A-Z])", "_", operation_id).lower()
    response = httpx.Response(status) if body is None else httpx.Response(status, json=body)
    parsed = operations[name]._build_response(client=client, response=response).parsed
    return None if parsed is None else parsed.to_dict()


with open(sys.argv[1], encoding="utf-8") as file:
    print(json.dumps([read(*answer) for answer in json.load(file)]))
