// Makes six calls by a client that openapi-generator-cli generated for TypeScript, and prints what came back.
import process from 'node:process';

const { ADDRESS: basePath, KEY, CLIENT } = process.env;
const { AuditTrailApi, Configuration, KeysApi, VerificationApi } = await import(CLIENT);
const configuration = new Configuration({ basePath, accessToken: () => KEY });
const keys = new KeysApi(configuration);

const created = await keys.createKey({
  createKeyRequest: {
    name: 'analytics',
    limit: 5,
    limitReset: 'monthly',
    expiresAt: '2030-01-01T00:00:00Z',
    external: { user: 'ada', lookupKey: 'a1' },
  },
});
const { hash } = created.data;
const { data: read } = await keys.readKey({ hash });
const { data: updated } = await keys.updateKey({ hash, updateKeyRequest: { limit: null } });
const listed = await keys.listKeys();
const { data: verified } = await new VerificationApi(configuration).verifyKey({
  verifyKeyRequest: { key: created.key, workspaceId: 'nowhere' },
});
const events = await new AuditTrailApi(configuration).listAuditEvents({
  from: '2020-01-01T00:00:00Z',
  targetType: 'key',
  limit: 2,
});

process.stdout.write(
  JSON.stringify({
    expires_at: read.expiresAt,
    limit_reset: read.limitReset,
    external_user: read.externalUser.user,
    has_year: read.createdAt.getFullYear() > 2000,
    limit: updated.limit,
    total_count: listed.totalCount,
    code: verified.code,
    valid: verified.valid,
    actions: events.data.map(({ action }) => action),
  }),
);
