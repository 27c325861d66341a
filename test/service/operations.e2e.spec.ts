import { afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { EventLog } from '../../src/event-sourcing/event-log/event-log.js';
import { MANAGEMENT } from '../../src/event-sourcing/ledger.js';
import { READ_STORE, type ReadStore } from '../../src/event-sourcing/read-store/read-store.js';
import { createKey } from '../support/harness/api-keys.js';
import { errorOf } from '../support/harness/error-of.js';
import { eventually } from '../support/harness/eventually.js';
import type { HttpClient } from '../support/harness/http-client.js';
import { runningApp } from '../support/harness/running-app.js';

describe('the routes for operators', () => {
  const service = runningApp();
  let anonymous: HttpClient;

  beforeAll(() => {
    anonymous = service.client.as(undefined);
  });

  afterEach(() => {
    jest.restoreAllMocks();
  });

  it('report without a key that the service is live and ready', async () => {
    for (const path of ['/health/live', '/health/ready']) {
      expect(await anonymous.get(path)).toMatchObject({ status: 200 });
    }
  });

  it.each([
    [
      'event log',
      (fault: Error) =>
        jest.spyOn(service.app.get<EventLog>(MANAGEMENT.log), 'ping').mockRejectedValue(fault),
    ],
    [
      'read store',
      (fault: Error) =>
        jest.spyOn(service.app.get<ReadStore>(READ_STORE), 'ping').mockRejectedValue(fault),
    ],
  ])('say that the %s is missing when it is, while the service lives', async (part, fail) => {
    fail(new Error('/data/events.db is out of reach'));
    const answer = await anonymous.get('/health/ready');
    const { metadata } = errorOf(answer, 503);
    expect(metadata).toEqual({ missing: [{ part, problem: 'unavailable' }] });
    await anonymous.get('/health/ready');
    const lines = service.logLines.filter((line) => line.includes(`"the ${part} is unavailable"`));
    expect(lines).toEqual([expect.stringContaining('/data/events.db is out of reach')]);
    expect(await anonymous.get('/health/live')).toMatchObject({ status: 200 });
    jest.restoreAllMocks();
    expect(await anonymous.get('/health/ready')).toMatchObject({ status: 200 });
  });

  it('keep a connection open for longer than load balancers do, who would else meet one that is just closed', async () => {
    const { headers } = await anonymous.get('/health/live');
    expect(headers.get('keep-alive')).toBe('timeout=75');
  });

  describe('/metrics', () => {
    async function metrics(): Promise<string> {
      const answer = await anonymous.get('/metrics');
      expect(answer.status).toBe(200);
      expect(answer.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
      return answer.text;
    }

    it('is Prometheus text with the state of the process and of the read side', async () => {
      const text = await metrics();
      for (const line of text.trimEnd().split('\n')) {
        expect(line).toMatch(/^(?:|#.*|[a-zA-Z_:][\w:]*(?:\{.*\})? \S+)$/);
      }
      expect(text).toMatch(/^process_resident_memory_bytes \d/m);
      expect(text).toContain(
        'keyledger_read_models_state{read_models="management",state="live"} 1',
      );
    });

    it('never holds a path as it was sent, so that callers cannot fill it', async () => {
      await service.client.get('/a-path-of-my-own');
      const { data } = await createKey(service.client);
      await service.client.patch(`/v1/keys/${data.hash}`, { name: 'b' });
      const patched = 'method="PATCH",route="/v1/keys/:hash",status="200"';
      const text = await eventually('the last is counted', async () => {
        const seen = await metrics();
        return seen.includes(patched) && seen;
      });
      expect(text).not.toContain('a-path-of-my-own');
      expect(text).not.toContain(data.hash);
      expect(text).toContain('method="GET",route="none",status="404"');
    });
  });
});
