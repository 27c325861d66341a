import { describe, expect, it } from '@jest/globals';
import { EventStoreDBClient } from '@eventstore/db-client';
import { RetriedCalls } from './retried-calls.js';
import { Silence } from './faults.js';

const limits = { atOnce: 1, attemptMs: 50, deadlineMs: 200 };
const client = EventStoreDBClient.connectionString`esdb://127.0.0.1:1?tls=false`;
const connection = {
  part: 'usage log',
  leader: () => Promise.resolve(client),
  reportSilence: () => undefined,
};
const lost = Object.assign(new Error('14 UNAVAILABLE: no connection'), { code: 14 });

it('a call in vain tells what the server said last, though attempts after it were cut off', async () => {
  const calls = new RetriedCalls(limits, connection, new AbortController().signal);
  let attempts = 0;
  const inVain = calls.run(() => {
    attempts += 1;
    return Promise.reject(attempts === 1 ? lost : Silence.after(1));
  });
  await expect(inVain).rejects.toMatchObject({
    name: 'Unavailable',
    part: 'usage log',
    cause: lost,
  });
  expect(attempts).toBeGreaterThan(1);
});

it('a call that was never answered tells that', async () => {
  const calls = new RetriedCalls(limits, connection, new AbortController().signal);
  const inVain = calls.run(() => Promise.reject(Silence.after(1)));
  await expect(inVain).rejects.toMatchObject({ name: 'Unavailable', cause: { name: 'Silence' } });
});

describe('slots of calls', () => {
  const slotsFor = (atOnce: number, deadlineMs = 10_000): RetriedCalls =>
    new RetriedCalls(
      { atOnce, attemptMs: 50, deadlineMs },
      connection,
      new AbortController().signal,
    );

  /** A task that runs until the test ends it. */
  function held(): { readonly run: () => Promise<string>; readonly end: () => void } {
    let end = (): void => undefined;
    const ended = new Promise<string>((resolve) => (end = () => resolve('done')));
    return { run: () => ended, end };
  }

  it('let so many run at once, and the rest in their order', async () => {
    const slots = slotsFor(2);
    const begun: number[] = [];
    const tasks = [0, 1, 2, 3].map(() => held());
    const all = tasks.map(({ run }, number) =>
      slots.run(() => {
        begun.push(number);
        return run();
      }),
    );
    await new Promise(setImmediate);
    expect(begun).toEqual([0, 1]);
    tasks[1]?.end();
    await all[1];
    await new Promise(setImmediate);
    expect(begun).toEqual([0, 1, 2]);
    for (const { end } of tasks) end();
    expect(await Promise.all(all)).toEqual(['done', 'done', 'done', 'done']);
    expect(begun).toEqual([0, 1, 2, 3]);
  });

  it('are free again after a task that failed', async () => {
    const slots = slotsFor(1);
    const failing = slots.run(() => Promise.reject(new Error('no')));
    await expect(failing).rejects.toThrow('no');
    expect(await slots.run(() => Promise.resolve('done'))).toBe('done');
  });

  it('refuse whoever waited too long, and forget about them', async () => {
    const slots = slotsFor(1, 50);
    const long = held();
    const running = slots.run(long.run);
    await expect(slots.run(() => Promise.resolve('late'))).rejects.toMatchObject({
      name: 'Unavailable',
      cause: { name: 'Silence' },
    });
    long.end();
    await running;
    expect(await slots.run(() => Promise.resolve('next'))).toBe('next');
  });
});
