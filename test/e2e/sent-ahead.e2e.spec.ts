import { randomUUID } from 'node:crypto';
import type { IncomingMessage, Server } from 'node:http';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { CommandBus } from '@nestjs/cqrs';
import { eventually } from '../harness/eventually.js';
import { openRawConnection } from '../harness/raw-connection.js';
import { runningApp } from '../harness/running-app.js';
import { stateOf } from '../harness/service-state.js';

describe('requests that are sent ahead on a connection', () => {
  const service = runningApp();
  let execute: jest.SpiedFunction<CommandBus['execute']>;
  /** Lets the first request fail. */
  let release: () => void;
  let received: IncomingMessage[];

  beforeEach(() => {
    const held = new Promise<never>((_, reject) => {
      release = () => {
        reject(new Error('the tape is torn'));
      };
    });
    execute = jest.spyOn(service.app.get(CommandBus), 'execute').mockReturnValueOnce(held);
    received = [];
    const server: Server = service.app.getHttpServer();
    server.on('request', note);
  });

  afterEach(() => {
    release();
    const server: Server = service.app.getHttpServer();
    server.off('request', note);
    jest.restoreAllMocks();
  });

  function note(request: IncomingMessage): void {
    received.push(request);
  }

  function registrations(users: readonly string[]): string {
    const bodies = users.map((user) => JSON.stringify({ user }));
    const head =
      'POST /v1/end-users HTTP/1.1\r\nHost: a\r\n' +
      `Authorization: Bearer ${service.managementKey}\r\n`;
    return bodies.map((body) => `${head}Content-Length: ${body.length}\r\n\r\n${body}`).join('');
  }

  function users(count: number): string[] {
    return Array.from({ length: count }, () => `ahead-${randomUUID()}`);
  }

  it('are taken one after another, each when the one before is answered', async () => {
    const [first = '', second = '', third = ''] = users(3);
    const connection = await openRawConnection(service.address);
    try {
      connection.send(registrations([first, second, third]));
      await eventually('all have arrived', () => received.length === 3);
      await eventually('the first is in work', () => execute.mock.calls.length === 1);
      // A later request on another connection does not wait for them.
      const other = await service.client.post('/v1/end-users', { user: `other-${randomUUID()}` });
      expect(other).toMatchObject({ status: 201 });
      expect(execute).toHaveBeenCalledTimes(2);
      expect(connection.received()).toBe('');
      release();
      await eventually('all are answered', () => connection.received().includes(third));
      expect(connection.received().match(/HTTP\/1\.1 \d+|ahead-[0-9a-f-]+/g)).toEqual([
        'HTTP/1.1 500',
        ...['HTTP/1.1 201', second],
        ...['HTTP/1.1 201', third],
      ]);
    } finally {
      connection.destroy();
    }
  });

  it('may be 100 that wait; one more closes the connection, and none of them is taken', async () => {
    const before = await stateOf(service);
    const connection = await openRawConnection(service.address);
    connection.send(registrations(users(101)));
    await eventually('all have arrived', () => received.length === 101);
    await eventually('the first is in work', () => execute.mock.calls.length === 1);
    expect(received[0]?.socket.destroyed).toBe(false);
    connection.send(registrations(users(1)));
    await eventually('one more has arrived', () => received.length === 102);
    expect(received[0]?.socket.destroyed).toBe(true);
    await connection.closed;
    expect(connection.received()).toBe('');
    expect(execute).toHaveBeenCalledTimes(1);
    release();
    expect(await service.client.get('/v1/end-users')).toMatchObject({ status: 200 });
    expect(execute).toHaveBeenCalledTimes(1);
    expect(await stateOf(service)).toEqual(before);
  });
});
