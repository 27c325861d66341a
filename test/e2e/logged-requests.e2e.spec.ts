import { randomBytes, randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { mintKeyString } from '../../src/key-strings/key-string.js';
import { isInSample } from '../../src/http/request-sample.js';
import { createKey } from '../harness/api-keys.js';
import { eventually } from '../harness/eventually.js';
import { scrape } from '../harness/exposed-metrics.js';
import { openRawConnection } from '../harness/raw-connection.js';
import { type RunningApp, runningApp } from '../harness/running-app.js';

const SLOW_MS = 1_000;

type Line = Record<string, unknown>;

function lineOf({ logLines }: RunningApp, id: string): Line | undefined {
  const text = logLines.find((line) => line.includes(id) && line.includes('"duration_ms"'));
  return text === undefined ? undefined : (JSON.parse(text) as Line);
}

/** Sends requests, and a last one that is always logged. Gives the ids that have lines. */
async function loggedOf(
  service: RunningApp,
  requests: readonly ((headers: Record<string, string>) => Promise<unknown>)[],
): Promise<boolean[]> {
  const ids = requests.map(() => randomUUID());
  for (const [index, send] of requests.entries()) await send({ 'X-Request-Id': ids[index] ?? '' });
  const last = randomUUID();
  await service.client.get('/no/such/route', { headers: { 'X-Request-Id': last } });
  await eventually('the last line', () => lineOf(service, last));
  return ids.map((id) => lineOf(service, id) !== undefined);
}

describe('with LOG_REQUESTS=errors', () => {
  const service = runningApp({ LOG_REQUESTS: 'errors' });
  let disabled: string;

  beforeAll(async () => {
    const { key, data } = await createKey(service.client);
    await service.client.patch(`/v1/keys/${data.hash}`, { disabled: true });
    disabled = key;
  });

  it('logs every refusal and nothing that went well', async () => {
    const { client } = service;
    const stranger = client.as(mintKeyString('mk-v1-'));
    const logged = await loggedOf(service, [
      (headers) => client.get('/v1/keys', { headers }),
      (headers) => client.post('/v1/end-users', { user: 'ada' }, { headers }),
      (headers) => client.post('/v1/end-users', { user: 'ada' }, { headers }),
      (headers) => stranger.get('/v1/keys', { headers }),
      (headers) => client.as(disabled).get('/v1/keys', { headers }),
      (headers) => client.get(`/v1/keys/${'0'.repeat(64)}`, { headers }),
    ]);
    expect(logged).toEqual([false, false, true, true, true, true]);
  });

  it('takes the verdict on the key of a client for an answer, and a refused gateway for an error', async () => {
    const ask = (gatewayKey: string) => (headers: Record<string, string>) =>
      service.client.as(disabled).get('/v1/authorize', {
        headers: { ...headers, 'Keyledger-Authorization': `Bearer ${gatewayKey}` },
      });
    const logged = await loggedOf(service, [
      ask(service.managementKey),
      ask(mintKeyString('mk-v1-')),
    ]);
    expect(logged).toEqual([false, true]);
  });

  it('logs a request that takes a second, and one whose caller leaves', async () => {
    const begin = async (id: string): ReturnType<typeof openRawConnection> => {
      const connection = await openRawConnection(service.address);
      connection.send(
        'POST /v1/end-users HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 15\r\n' +
          `X-Request-Id: ${id}\r\nAuthorization: Bearer ${service.managementKey}\r\n\r\n`,
      );
      await eventually('100', () => connection.received().includes('100'));
      return connection;
    };
    const [slow, left] = [randomUUID(), randomUUID()];
    (await begin(left)).destroy();
    expect(await eventually('the aborted one', () => lineOf(service, left))).toMatchObject({
      level: 30,
      msg: 'request aborted',
    });
    const began = performance.now();
    const connection = await begin(slow);
    await eventually('a second', () => performance.now() - began > SLOW_MS);
    connection.send('{"user":"slow"}');
    expect(await eventually('the slow one', () => lineOf(service, slow))).toMatchObject({
      level: 30,
      msg: 'request',
      status: 201,
    });
    connection.destroy();
  });

  it('counts every request in the metrics', async () => {
    const labels = { method: 'GET', route: '/v1/workspaces', status: '200' };
    await service.client.get('/v1/workspaces');
    await eventually('it is counted', async () => {
      const seen = await scrape(service.client);
      return seen.value('keyledger_http_request_duration_seconds_count', labels) === 1;
    });
  });
});

describe('with LOG_REQUESTS=1/4', () => {
  const service = runningApp({ LOG_REQUESTS: '1/4' });

  it('logs one success in four, chosen by its id, and every refusal', async () => {
    const ids = Array.from({ length: 40 }, () => randomUUID());
    for (const id of ids) {
      await service.client.get('/v1/keys', { headers: { 'X-Request-Id': id } });
    }
    const refused = await loggedOf(service, [
      (headers) => service.client.as(undefined).get('/v1/keys', { headers }),
    ]);
    expect(refused).toEqual([true]);
    const logged = ids.filter((id) => lineOf(service, id) !== undefined);
    expect(logged).toEqual(ids.filter((id) => isInSample(id, 4)));
  });

  it('logs all requests of a trace, or none of them', async () => {
    const traces = Array.from({ length: 40 }, () => randomBytes(16).toString('hex'));
    for (const trace of traces) {
      const headers = { traceparent: `00-${trace}-00f067aa0ba902b7-01` };
      for (const path of ['/v1/keys', '/v1/workspaces']) {
        await service.client.get(path, { headers });
      }
    }
    expect(await loggedOf(service, [])).toEqual([]);
    const linesOf = (trace: string): number =>
      service.logLines.filter((line) => line.includes(trace)).length;
    expect(traces.map(linesOf)).toEqual(traces.map((trace) => (isInSample(trace, 4) ? 2 : 0)));
  });
});
