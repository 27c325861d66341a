import { randomBytes, randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { type CreatedKey, eventsOfKey } from '../support/harness/api-keys.js';
import { auditPage } from '../support/harness/audit-events.js';
import { eventually } from '../support/harness/eventually.js';
import { runningApp } from '../support/harness/running-app.js';
import { storedEvents } from '../support/harness/stored-events.js';

const SPAN = '00f067aa0ba902b7';

describe('the traceparent of a request', () => {
  const service = runningApp();

  const newTrace = (): string => randomBytes(16).toString('hex');

  /** Creates a key in a request with a traceparent. Gives its hash, and the log line of the request. */
  async function create(traceparent: string, more: Readonly<Record<string, string>> = {}) {
    const id = randomUUID();
    const headers = { 'X-Request-Id': id, traceparent, ...more };
    const { body } = await service.client.post<CreatedKey>('/v1/keys', { name: 'a' }, { headers });
    const line = await eventually('the log line', () =>
      service.logLines.find((text) => text.includes(id) && text.includes('"duration_ms"')),
    );
    return { hash: body.data.hash, line: JSON.parse(line) as Record<string, unknown> };
  }

  async function auditedOf(hash: string) {
    const { body } = await auditPage(service.client, `target_type=key&target_id=${hash}`);
    return body.data[0];
  }

  async function metadataOf(hash: string) {
    const [created] = await eventsOfKey(service, hash);
    return created?.metadata;
  }

  it('stands in its log line, in the events that it made and in the audit trail', async () => {
    const trace = newTrace();
    const { hash, line } = await create(`00-${trace}-${SPAN}-01`, {
      tracestate: 'vendor=state-of-a-vendor',
    });
    expect(line).toMatchObject({ trace_id: trace, span_id: SPAN });
    expect(await metadataOf(hash)).toMatchObject({ trace_id: trace, span_id: SPAN });
    expect(await auditedOf(hash)).toMatchObject({ trace_id: trace });
    expect(JSON.stringify(await storedEvents(service.backends.settings))).not.toContain(
      'state-of-a-vendor',
    );
  });

  it('stands in the line of an error too', async () => {
    const trace = newTrace();
    const headers = { traceparent: `00-${trace}-${SPAN}-00` };
    expect((await service.client.get('/v1/keys?limit=0', { headers })).status).toBe(400);
    const line = await eventually('the log line', () =>
      service.logLines.find((text) => text.includes(trace)),
    );
    expect(JSON.parse(line)).toMatchObject({ trace_id: trace, status: 400 });
  });

  it.each([
    ['is invalid', () => `00-${newTrace()}-${SPAN}`],
    // A trace id that repeats half of the key would keep it for good.
    ['repeats a piece of the key', () => `00-${service.managementKey.slice(8, 40)}-${SPAN}-01`],
  ])('leaves nothing where it %s', async (_, traceparent) => {
    const given = traceparent();
    const { hash, line } = await create(given);
    expect(line).not.toHaveProperty('trace_id');
    expect(await metadataOf(hash)).not.toHaveProperty('trace_id');
    expect(await auditedOf(hash)).toMatchObject({ trace_id: null });
    const piece = given.slice(3, 35);
    expect(service.logLines.some((text) => text.includes(piece))).toBe(false);
  });
});
