import { END, NO_STREAM, START } from '@eventstore/db-client';
import { afterEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import type { Failure } from './refusal.js';
import { CLASSIC, event, events, follow, freshStream, idsOf, take } from './real-client.js';
import { runningServer } from './running-server.js';
import { SimulatorProcess } from './simulator-process.js';

const running = runningServer(() => SimulatorProcess.start());

afterEach(() => running.server.heal());

describe('an append', () => {
  it.each<[Failure, object]>([
    ['not-ready', { type: 'unavailable', code: 14 }],
    ['access-denied', { type: 'access-denied', code: 7 }],
    ['timeout', { type: 'timeout', code: 10 }],
    ['internal', { type: 'unknown', code: 13 }],
  ])('that fails as %s is told so, and wrote nothing', async (failure, error) => {
    const stream = freshStream();
    await running.server.inject({ on: 'append', times: 2, effect: 'fail', failure });
    for (const _attempt of [1, 2]) {
      await expect(running.client.appendToStream(stream, event(), CLASSIC)).rejects.toMatchObject(
        error,
      );
    }
    await running.client.appendToStream(stream, event(), {
      ...CLASSIC,
      expectedRevision: NO_STREAM,
    });
  });

  it('that fails after its commit is found when it comes again', async () => {
    const stream = freshStream();
    const batch = events(2);
    const append = () =>
      running.client.appendToStream(stream, batch, { ...CLASSIC, expectedRevision: NO_STREAM });
    const fault = { on: 'append', times: 1, effect: 'fail' } as const;
    await running.server.inject({ ...fault, failure: 'timeout', committed: true });
    await expect(append()).rejects.toBeInstanceOf(Error);
    expect(await take(running.client.readStream(stream))).toHaveLength(2);
    expect(await append()).toMatchObject({ nextExpectedRevision: 1n });
    expect(idsOf(await take(running.client.readStream(stream)))).toEqual(idsOf(batch));
  });

  it('that is refused by one who is no leader is told where the leader is', async () => {
    const one = running.clients.connect(running.server);
    const fault = { on: 'append', effect: 'not-leader', host: '127.0.0.1' } as const;
    const leader = await SimulatorProcess.start();
    try {
      await running.server.inject({ ...fault, port: leader.port });
      const stream = freshStream();
      const append = () =>
        one.appendToStream(stream, event(), { ...CLASSIC, requiresLeader: true });
      await expect(append()).rejects.toMatchObject({
        type: 'not-leader',
        leader: { address: '127.0.0.1', port: leader.port },
      });
      await append();
      expect(await take(running.clients.connect(leader).readStream(stream))).toHaveLength(1);
    } finally {
      await one.dispose();
      await leader.stop();
    }
  });
});

it('an append that needs no leader is taken by any server', async () => {
  await running.server.inject({ on: 'append', effect: 'not-leader', host: '127.0.0.1', port: 1 });
  await running.client.appendToStream(freshStream(), event(), CLASSIC);
});

it('an append whose answer is late runs into its deadline, and was written', async () => {
  const hasty = running.clients.connect(running.server, 'defaultDeadline=200');
  const stream = freshStream();
  await running.server.inject({ on: 'append', times: 1, effect: 'delay', ms: 1_000 });
  await expect(hasty.appendToStream(stream, event(), CLASSIC)).rejects.toMatchObject({ code: 4 });
  expect(await take(running.client.readStream(stream))).toHaveLength(1);
});

it('an append that hangs runs into its deadline, and was not written', async () => {
  const hasty = running.clients.connect(running.server, 'defaultDeadline=200');
  const stream = freshStream();
  await running.server.inject({ on: 'append', times: 1, effect: 'hang' });
  await expect(hasty.appendToStream(stream, event(), CLASSIC)).rejects.toMatchObject({ code: 4 });
  await hasty.appendToStream(stream, event(), { ...CLASSIC, expectedRevision: NO_STREAM });
});

describe('a read', () => {
  it('that hangs answers nothing until it is cancelled, and others are answered', async () => {
    const stream = freshStream();
    await running.client.appendToStream(stream, event(), CLASSIC);
    await running.server.inject({ on: 'read', times: 1, effect: 'hang' });
    const hanging = running.client.readStream(stream);
    const ended = once(hanging.resume(), 'close');
    expect(await take(running.client.readStream(stream))).toHaveLength(1);
    expect(hanging.closed).toBe(false);
    await hanging.cancel();
    await ended;
  });

  it('that breaks gives what came before, then the error', async () => {
    const stream = freshStream();
    await running.client.appendToStream(stream, events(10), CLASSIC);
    const fault = { on: 'read', times: 1, effect: 'end', afterEvents: 4 } as const;
    await running.server.inject({ ...fault, failure: 'internal' });
    const reading = running.client.readStream(stream);
    let given = 0;
    reading.on('data', () => (given += 1));
    const [error] = (await once(reading, 'error')) as [unknown];
    expect(error).toMatchObject({ type: 'unknown', code: 13 });
    expect(given).toBe(4);
  });

  it('that requires the leader is sent to it', async () => {
    const one = running.clients.connect(running.server);
    await running.server.inject({
      on: 'read',
      effect: 'not-leader',
      host: '127.0.0.1',
      port: 4_711,
    });
    const reading = one.readAll({ fromPosition: START, requiresLeader: true });
    await expect(take(reading)).rejects.toMatchObject({
      type: 'not-leader',
      leader: { port: 4_711 },
    });
  });
});

describe('a subscription', () => {
  it('that the server ends without an error ends without one', async () => {
    const stream = freshStream();
    await running.client.appendToStream(stream, events(10), CLASSIC);
    await running.server.inject({ on: 'subscribe', times: 1, effect: 'end', afterEvents: 4 });
    expect(await take(follow(running.client, stream))).toHaveLength(4);
  });

  it('that is silenced sends nothing any more and stays open, while one begun later does', async () => {
    const stream = freshStream();
    const silent = follow(running.client, stream);
    const seen: unknown[] = [];
    silent.on('data', (one) => seen.push(one)).on('error', () => undefined);
    await once(silent, 'confirmation');
    await running.server.inject({ on: 'subscribe', effect: 'silence' });
    await running.client.appendToStream(stream, events(2), CLASSIC);
    expect(await take(follow(running.client, stream), 2)).toHaveLength(2);
    expect({ seen, isOver: silent.destroyed }).toEqual({ seen: [], isOver: false });
    await silent.unsubscribe();
  });

  it('that is not allowed is refused', async () => {
    await running.server.inject({
      on: 'subscribe',
      times: 1,
      effect: 'fail',
      failure: 'access-denied',
    });
    const subscription = running.client.subscribeToAll({ fromPosition: START });
    await expect(take(subscription)).rejects.toMatchObject({ type: 'access-denied', code: 7 });
  });
});

describe('the whole log', () => {
  it('that may be read no more ends subscriptions to it, while streams are read and written', async () => {
    const stream = freshStream();
    const subscription = running.client.subscribeToAll({ fromPosition: END });
    const confirmed = once(subscription, 'confirmation');
    const broken = take(subscription).catch((error: unknown) => error);
    await confirmed;
    const denied = { type: 'access-denied', code: 7 };
    await running.server.inject({ on: 'all', effect: 'fail', failure: 'access-denied' });
    expect(await broken).toMatchObject(denied);
    await expect(take(running.client.readAll())).rejects.toMatchObject(denied);
    await expect(take(running.client.subscribeToAll())).rejects.toMatchObject(denied);
    await running.client.appendToStream(stream, events(2), CLASSIC);
    expect(await take(running.client.readStream(stream))).toHaveLength(2);
    await running.server.heal();
    expect(await take(running.client.subscribeToAll(), 1)).toHaveLength(1);
  });
});
