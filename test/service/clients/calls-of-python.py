"""Makes six calls by a client that openapi-generator-cli generated for Python, and prints what came back."""

import json
import os

from openapi_client import (
    ApiClient,
    AuditTrailApi,
    Configuration,
    CreateKeyRequest,
    ExternalIdentity,
    KeysApi,
    UpdateKeyRequest,
    VerificationApi,
    VerifyKeyRequest,
)

configuration = Configuration(host=os.environ["ADDRESS"], access_token=os.environ["KEY"])
client = ApiClient(configuration)
keys = KeysApi(client)

wanted = CreateKeyRequest(
    name="analytics",
    limit=5,
    limit_reset="monthly",
    expires_at="2030-01-01T00:00:00Z",
    external=ExternalIdentity(user="ada", lookup_key="a1"),
)
created = keys.create_key(wanted)
hash_ = created.data.hash
read = keys.read_key(hash_).data
updated = keys.update_key(hash_, UpdateKeyRequest(limit=None)).data
listed = keys.list_keys()
question = VerifyKeyRequest(key=created.key, workspace_id="nowhere")
verified = VerificationApi(client).verify_key(question).data
events = AuditTrailApi(client).list_audit_events(
    var_from="2020-01-01T00:00:00Z", target_type="key", limit=2
)

print(
    json.dumps(
        {
            "expires_at": read.expires_at,
            "limit_reset": read.limit_reset,
            "external_user": read.external_user.user,
            "has_year": read.created_at.year > 2000,
            "limit": updated.limit,
            "total_count": listed.total_count,
            "code": verified.code,
            "valid": verified.valid,
            "actions": [event.action for event in events.data],
        }
    )
)
