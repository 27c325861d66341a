import { beforeAll, describe, expect, it } from '@jest/globals';
import { mintKeyString } from '../../src/key-strings/key-string.js';
import { createKey } from '../harness/api-keys.js';
import { runningApp } from '../harness/running-app.js';
import { startService, type ServiceProcess } from '../harness/service-process.js';
import { freshBackends, type Backends } from '../harness/backends.js';

const ORIGIN = 'https://admin.example.com';
const OTHER = 'http://localhost:5173';
const STRANGE = 'https://evil.example.com';

function preflightOf(origin: string, method = 'PATCH'): Record<string, string> {
  return {
    Origin: origin,
    'Access-Control-Request-Method': method,
    'Access-Control-Request-Headers': 'authorization,content-type',
  };
}

function corsOf(headers: Headers): string[] {
  return [...headers.keys()].filter((name) => name.startsWith('access-control-'));
}

describe('pages of other origins', () => {
  const service = runningApp({ CORS_ORIGINS: `${ORIGIN}, ${OTHER}`, RATE_LIMIT_WRITES: '1/60s' });
  let hash: string;

  beforeAll(async () => {
    hash = (await createKey(service.client)).data.hash;
  });

  function ask(method: string, path: string, headers: Record<string, string>, body?: unknown) {
    return service.client.send(method, path, { headers, ...(body !== undefined && { body }) });
  }

  it.each([ORIGIN, OTHER])('are told what they may send, without a key, at %s', async (origin) => {
    const answer = await service.client
      .as(undefined)
      .send('OPTIONS', `/v1/keys/${hash}`, { headers: preflightOf(origin) });
    expect(answer).toMatchObject({ status: 204, text: '' });
    const { headers } = answer;
    expect(headers.get('access-control-allow-origin')).toBe(origin);
    expect(headers.get('access-control-allow-methods')?.split(',')).toEqual([
      'DELETE',
      'GET',
      'HEAD',
      'PATCH',
    ]);
    const allowed = headers.get('access-control-allow-headers')?.toLowerCase().split(',');
    expect(allowed).toEqual(
      expect.arrayContaining([
        'authorization',
        'content-type',
        'idempotency-key',
        'keyledger-consistency',
        'traceparent',
      ]),
    );
    expect(headers.get('access-control-max-age')).toBe('600');
    expect(headers.get('access-control-allow-credentials')).toBeNull();
    expect(headers.get('vary')).toContain('Origin');
  });

  it.each([
    ['of an origin that is not named', `/v1/keys`, preflightOf(STRANGE), 405],
    ['without the method that is to come', '/v1/keys', { Origin: ORIGIN }, 405],
    ['for a path that is not there', '/v1/nothing', preflightOf(ORIGIN), 404],
    ['for the metrics', '/metrics', preflightOf(ORIGIN, 'GET'), 405],
    ['for readiness', '/health/ready', preflightOf(ORIGIN, 'GET'), 405],
  ])('get no leave by a preflight %s', async (_, path, headers, status) => {
    const answer = await service.client.as(undefined).send('OPTIONS', path, { headers });
    expect(answer.status).toBe(status);
    expect(corsOf(answer.headers)).toEqual([]);
  });

  it('may read answers and errors alike', async () => {
    const Origin = ORIGIN;
    const stranger = service.client.as(mintKeyString('mk-v1-'));
    const large = { name: 'x'.repeat(200_000) };
    const answers = [
      await ask('GET', '/v1/keys', { Origin }),
      await ask('GET', '/v1/audit-events', { Origin }),
      await ask('GET', '/v1/audit-events', { Origin, Accept: 'application/x-ndjson' }),
      await stranger.get('/v1/keys', { headers: { Origin } }),
      await ask('GET', `/v1/keys/${'0'.repeat(64)}`, { Origin }),
      await ask('GET', '/v1/nothing', { Origin }),
      await ask('PUT', '/v1/keys', { Origin }),
      await ask('GET', '/v1/keys?limit=0', { Origin }),
      await ask('PATCH', `/v1/keys/${hash}`, { Origin }, { name: 'b' }),
      await (await service.openAccount()).client.post('/v1/keys', large, { headers: { Origin } }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([
      200, 200, 200, 401, 404, 404, 405, 400, 429, 413,
    ]);
    for (const { headers } of answers) {
      expect(headers.get('access-control-allow-origin')).toBe(ORIGIN);
      expect(headers.get('vary')).toContain('Origin');
      const exposed = headers.get('access-control-expose-headers')?.split(',');
      for (const name of ['X-Request-Id', 'X-Log-Position', 'Retry-After', 'RateLimit-Remaining']) {
        expect(exposed).toContain(name);
      }
    }
    expect(answers[2]?.headers.get('vary')).toBe('Origin, Accept, Accept-Encoding');
  });

  it('are kept from answers where their origin is not named', async () => {
    const { headers, status } = await ask('GET', '/v1/keys', { Origin: STRANGE });
    expect(status).toBe(200);
    expect(headers.get('access-control-allow-origin')).toBeNull();
    expect(headers.get('vary')).toBe('Origin');
  });

  it('get no word of a gateway: a 204 would let a request pass', async () => {
    for (const path of ['/v1/authorize', '/v1/authorize/orders', '/V1/Authorize/']) {
      const answer = await service.client.as(undefined).send('OPTIONS', path, {
        headers: {
          ...preflightOf(ORIGIN),
          'Keyledger-Authorization': `Bearer ${service.managementKey}`,
        },
      });
      expect([path, answer.status]).toEqual([path, 401]);
      expect(corsOf(answer.headers)).toEqual([]);
    }
  });
});

describe('without CORS_ORIGINS', () => {
  const service = runningApp();

  it('pages of other origins get no header', async () => {
    const asked = await service.client.get('/v1/keys', { headers: { Origin: ORIGIN } });
    expect(asked.status).toBe(200);
    const headers = preflightOf(ORIGIN);
    const preflight = await service.client.as(undefined).send('OPTIONS', '/v1/keys', { headers });
    expect(preflight.status).toBe(405);
    for (const answer of [asked, preflight]) {
      expect(corsOf(answer.headers)).toEqual([]);
      expect(answer.headers.get('vary')).toBeNull();
    }
  });
});

describe('the other ports', () => {
  let backends: Backends;
  let service: ServiceProcess | undefined;

  it('have no header for pages of other origins', async () => {
    backends = await freshBackends();
    try {
      const key = mintKeyString('mk-v1-');
      service = await startService({
        ...backends.settings,
        BOOTSTRAP_MANAGEMENT_KEY: key,
        CORS_ORIGINS: ORIGIN,
        OPERATIONS_PORT: '0',
        GATEWAY_PORT: '0',
        GATEWAY_MANAGEMENT_KEY: key,
      });
      const ready = await service.logs(/^ready$/);
      for (const [address, path] of [
        [ready.operations_address, '/metrics'],
        [ready.gateway_address, '/v1/authorize'],
        [ready.gateway_address, '/v1/keys'],
      ]) {
        for (const method of ['OPTIONS', 'GET']) {
          const headers = preflightOf(ORIGIN, 'GET');
          const answer = await fetch(`${String(address)}${String(path)}`, { method, headers });
          await answer.arrayBuffer();
          expect(answer.status).not.toBe(204);
          expect(corsOf(answer.headers)).toEqual([]);
        }
      }
    } finally {
      await service?.stop('SIGKILL');
      await backends.dispose();
    }
  });
});
