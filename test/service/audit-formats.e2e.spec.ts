import { beforeAll, describe, expect, it } from '@jest/globals';
import { auditEvents, auditPage, recordsIn } from '../support/harness/audit-events.js';
import { runningApp, type TestAccount } from '../support/harness/running-app.js';

const NDJSON = 'application/x-ndjson';

describe('the audit trail', () => {
  const service = runningApp();
  let account: TestAccount;

  beforeAll(async () => {
    account = await service.openAccount();
  });

  it.each([NDJSON, `application/json;q=0.5, ${NDJSON}`, `${NDJSON};q=0.2, text/html`])(
    'is given as lines to who accepts %s, whatever limit and cursor say',
    async (Accept) => {
      const all = await auditEvents(account.client);
      const answer = await auditPage(account.client, 'limit=1&cursor=x', { headers: { Accept } });
      expect(answer.status).toBe(200);
      expect(answer.headers.get('content-type')).toBe(NDJSON);
      expect(answer.headers.get('vary')).toBe('Accept');
      expect(recordsIn(answer.text)).toEqual(all);
    },
  );

  it.each(['*/*', `application/json, ${NDJSON};q=0.9`, 'text/html'])(
    'is given as a page to who accepts %s',
    async (Accept) => {
      const { headers } = await auditPage(account.client, '', { headers: { Accept } });
      expect(headers.get('content-type')).toMatch(/^application\/json/);
    },
  );

  it('has no lines for HEAD, but their headers', async () => {
    const headers = { Accept: NDJSON };
    const head = await account.client.send('HEAD', '/v1/audit-events', { headers });
    expect(head).toMatchObject({ status: 200, text: '' });
    expect(head.headers.get('content-type')).toBe(NDJSON);
  });
});
