import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../../support/harness/eventually.js';
import { type AttackedService, ON_THE_FIRST_CORE, startAttacked } from './attacked-service.js';
import { shoot } from './pump.js';

const CONNECTIONS = 80;
/** The size of one read of a connection. */
const CHUNK_BYTES = 64 * 1024;
/** More than what the requests hold that may wait on all connections. */
const MOST_GROWTH = 40 * 1024 * 1024;

describe('a caller without a key who sends thousands of requests at once', () => {
  let service: AttackedService;

  beforeAll(async () => {
    service = await startAttacked({ LOG_LEVEL: 'error' }, ON_THE_FIRST_CORE);
  }, 60_000);

  afterAll(() => service.end());

  it(`fills no memory on ${CONNECTIONS} connections whose answers nobody reads`, async () => {
    const { port } = new URL(service.address);
    // The first answers fill the connection, so that the other requests wait.
    const large = 'GET /openapi.json HTTP/1.1\r\nHost:a\r\n\r\n'.repeat(30);
    const small = 'GET / HTTP/1.1\r\nHost:a\r\n\r\n';
    const chunk = large + small.repeat((CHUNK_BYTES - large.length) / small.length);
    const before = await service.memory();
    const sockets: Socket[] = [];
    while (sockets.length < CONNECTIONS) {
      const socket = connect(Number(port), '127.0.0.1').pause();
      socket.on('error', () => undefined);
      await once(socket, 'connect');
      socket.write(chunk);
      sockets.push(socket);
    }
    await eventually('all is sent', () => sockets.every(({ writableLength }) => !writableLength));
    const { status } = await shoot(service.address, service.victim.key, { path: '/v1/keys' });
    const after = await service.memory();
    const grown = after.heapUsed - before.heapUsed;
    process.stdout.write(`${(grown / 1024 / 1024).toFixed(1)} MiB more\n`);
    for (const socket of sockets) socket.destroy();
    expect(status).toBe(200);
    expect(grown).toBeLessThan(MOST_GROWTH);
  }, 60_000);
});
