// Makes its calls by openapi-fetch with the types of openapi-typescript, and prints what came back.
import process from 'node:process';
import createClient from 'openapi-fetch';

const { ADDRESS: baseUrl = '', KEY, REPORT: report_id = '' } = process.env;
/** @type {import('openapi-fetch').Client<import('./keyledger.js').paths>} */
const client = createClient({ baseUrl, headers: { Authorization: `Bearer ${KEY}` } });

const { data: created } = await client.POST('/v1/keys', {
  body: {
    name: 'analytics',
    limit: 5,
    limit_reset: 'monthly',
    expires_at: '2030-01-01T00:00:00Z',
    external: { user: 'ada', lookup_key: 'a1' },
  },
});
const hash = created?.data.hash ?? '';
const key = { params: { path: { hash } } };
const { data: read } = await client.GET('/v1/keys/{hash}', key);
const { data: updated } = await client.PATCH('/v1/keys/{hash}', { ...key, body: { limit: null } });
const { data: listed } = await client.GET('/v1/keys');
const { data: verified } = await client.POST('/v1/keys/verify', {
  body: { key: created?.key, workspace_id: 'nowhere' },
});
const records = [
  { key_hash: hash, cost: 0.25 },
  { key_hash: hash, cost: '1E-7' },
];
const report = { params: { path: { report_id } } };
await client.PUT('/v1/usage-reports/{report_id}', { ...report, body: { records } });
const { data: reported } = await client.GET('/v1/usage-reports/{report_id}', report);
const query = { from: '2020-01-01T00:00:00Z', target_type: 'key', limit: 2 };
const events = (await client.GET('/v1/audit-events', { params: { query } })).data?.data;
const { error } = await client.GET('/v1/keys', { params: { query: { workspace_id: 'none' } } });

process.stdout.write(
  JSON.stringify({
    expires_at: read?.data.expires_at,
    limit_reset: read?.data.limit_reset,
    external_user: read?.data.external_user?.user,
    has_year: new Date(read?.data.created_at ?? '').getFullYear() > 2000,
    limit: updated?.data.limit,
    total_count: listed?.total_count,
    code: verified?.data.code,
    valid: verified?.data.valid,
    usage: reported?.data.usage,
    actions: events?.map(({ action }) => action),
    reason: error?.error.metadata.reason,
  }),
);
