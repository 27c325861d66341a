"""Makes its calls by a client that openapi-python-client generated, and prints what came back."""

import json
import os
from decimal import Decimal
from uuid import UUID

from keyledger.api.audit_trail import list_audit_events
from keyledger.api.keys import create_key, list_keys, read_key, update_key
from keyledger.api.usage import read_usage_report, report_usage
from keyledger.api.verification import verify_key
from keyledger.client import AuthenticatedClient
from keyledger.models import (
    CreateKeyRequest,
    ExternalIdentity,
    LimitReset,
    ReportUsageBody,
    ReportUsageBodyRecordsItem,
    UpdateKeyRequest,
    VerifyKeyRequest,
)

client = AuthenticatedClient(base_url=os.environ["ADDRESS"], token=os.environ["KEY"])

wanted = CreateKeyRequest(
    name="analytics",
    limit=5,
    limit_reset=LimitReset.MONTHLY,
    expires_at="2030-01-01T00:00:00Z",
    external=ExternalIdentity(user="ada", lookup_key="a1"),
)
created = create_key.sync(client=client, body=wanted)
hash_ = created.data.hash_
read = read_key.sync(hash_, client=client).data
updated = update_key.sync(hash_, client=client, body=UpdateKeyRequest(limit=None)).data
listed = list_keys.sync(client=client)
question = VerifyKeyRequest(key=created.key, workspace_id="nowhere")
verified = verify_key.sync(client=client, body=question).data
report_id = UUID(os.environ["REPORT"])
records = [
    ReportUsageBodyRecordsItem(key_hash=hash_, cost=cost)
    for cost in (0.25, str(Decimal("0.0000001")))
]
report_usage.sync(report_id, client=client, body=ReportUsageBody(records=records))
reported = read_usage_report.sync(report_id, client=client).data
events = list_audit_events.sync(
    client=client,
    from_="2020-01-01T00:00:00Z",
    target_type="key",
    limit=2,
)
refused = list_keys.sync(client=client, workspace_id="none")

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
            "usage": reported.usage,
            "actions": [event.action for event in events.data],
            "reason": refused.error.metadata.reason,
        }
    )
)
