import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { mintKeyString } from '../../../src/kernel/key-string.js';
import { SimulatorProcess } from '../../support/backends/eventstoredb-simulator/simulator-process.js';
import { FaultyGate } from '../../support/backends/faulty-gate.js';
import { LoopbackProxy } from '../../support/backends/loopback-proxy.js';
import { describeOnMongoDb } from '../../support/backends/on-mongodb.js';
import { type AttackedService, ON_THE_FIRST_CORE, startAttacked } from './attacked-service.js';
import { shoot } from './pump.js';

const SECONDS = Number(process.env.ABUSE_SECONDS ?? 4);
const CONNECTIONS_PER_SECOND = 250;
/** So many requests of a connection are handled at the same time. */
const REQUESTS = 8;
const STAYS_MS = 100;
const SLOW_MS = { log: 20, store: 100 };
/** A request that waits takes some 5 KB, and thousands come in each second. */
const MOST_GROWTH = 16 * 1024 * 1024;

describeOnMongoDb('callers who leave before slow servers have answered', (store) => {
  let log: SimulatorProcess;
  let proxy: LoopbackProxy;
  let gate: FaultyGate;
  let service: AttackedService;
  let keyInUse: string;

  beforeAll(async () => {
    log = await SimulatorProcess.start();
    proxy = await LoopbackProxy.to(log.port);
    gate = await FaultyGate.open(store().freshUri());
    service = await startAttacked(
      {
        EVENTSTOREDB_CONNECTION_STRING: `esdb://127.0.0.1:${proxy.port}?tls=false`,
        MONGODB_URI: gate.uri,
        LOG_LEVEL: 'error',
      },
      ON_THE_FIRST_CORE,
    );
    const { address, attacker } = service;
    const key = { method: 'POST', path: '/v1/keys', body: '{"name":"in use"}' };
    keyInUse = (JSON.parse((await shoot(address, attacker.key, key)).text) as { key: string }).key;
    const budget = { method: 'PUT', path: '/v1/end-user-budget', body: '{"limit":1}' };
    expect(await shoot(address, attacker.key, budget)).toMatchObject({ status: 201 });
  }, 60_000);

  afterAll(async () => {
    await service.end();
    gate.close();
    await proxy.close();
    await log.stop();
  });

  /** Begins connections at a fixed rate, each of which sends requests and is soon closed. */
  async function storm(requestOf: () => string): Promise<void> {
    const port = Number(new URL(service.address).port);
    const begun = performance.now();
    for (let made = 0; made < SECONDS * CONNECTIONS_PER_SECOND; made += 1) {
      await delay(Math.max(0, begun + (made * 1_000) / CONNECTIONS_PER_SECOND - performance.now()));
      const socket = connect(port, '127.0.0.1').on('error', () => undefined);
      socket.write(Array.from({ length: REQUESTS }, requestOf).join(''));
      setTimeout(() => socket.destroy(), STAYS_MS);
    }
  }

  const request = (path: string, headers: Readonly<Record<string, string>>): string => {
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    return `GET ${path} HTTP/1.1\r\nHost: a\r\n${lines.join('')}\r\n`;
  };
  const asGateway = (key: string, user?: string): string =>
    request('/v1/authorize/', {
      authorization: `Bearer ${key}`,
      'keyledger-authorization': `Bearer ${service.attacker.key}`,
      ...(user !== undefined && { 'keyledger-end-user': user }),
    });

  it('take no answer from a caller who asks for the same key and stays', async () => {
    const { address } = service;
    const { port } = new URL(address);
    proxy.delayMs = SLOW_MS.log;
    // The look-ups of these keys come first, so that the shared one waits.
    const others = Array.from({ length: 40 }, () =>
      shoot(address, mintKeyString('mk-v1-'), { path: '/v1/keys' }),
    );
    await delay(STAYS_MS);
    const key = mintKeyString('mk-v1-');
    const socket = connect(Number(port), '127.0.0.1');
    socket.write(request('/v1/keys', { authorization: `Bearer ${key}` }));
    await delay(STAYS_MS / 2);
    const staying = shoot(address, key, { path: '/v1/keys' });
    await delay(STAYS_MS / 2);
    socket.destroy();
    const answers = await Promise.all([staying, ...others]);
    proxy.delayMs = 0;
    expect(answers.filter(({ status }) => status !== 401)).toEqual([]);
  });

  it.each([
    [
      'keys that nobody has',
      { log: SLOW_MS.log, store: 0 },
      () => request('/v1/keys', { authorization: `Bearer ${mintKeyString('mk-v1-')}` }),
    ],
    [
      'keys of clients that nobody has',
      { log: SLOW_MS.log, store: 0 },
      () => asGateway(mintKeyString('sk-v1-')),
    ],
    [
      'end users who do not exist',
      { log: 0, store: SLOW_MS.store },
      () => asGateway(keyInUse, randomUUID()),
    ],
  ] as const)(
    'with %s leave no work and no memory behind',
    async (_, slow, requestOf) => {
      const before = await service.memory();
      proxy.delayMs = slow.log;
      gate.delayMs = slow.store;
      await storm(requestOf);
      const after = await service.memory();
      const answer = await shoot(service.address, mintKeyString('mk-v1-'), { path: '/v1/keys' });
      proxy.delayMs = 0;
      gate.delayMs = 0;
      const grown = after.heapUsed - before.heapUsed;
      process.stdout.write(`${(grown / 1024 / 1024).toFixed(1)} MiB more\n`);
      expect(answer.status).toBe(401);
      expect(grown).toBeLessThan(MOST_GROWTH);
    },
    60_000,
  );
});
