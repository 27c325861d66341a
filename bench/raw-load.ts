import { setInterval } from 'node:timers/promises';
import { Connection } from './connection.js';
import type { Load, LoadResult } from './load.js';
import {
  creations,
  type Questions,
  reads,
  registrations,
  reports,
  verifications,
} from './questions.js';
import type { Shape } from './usage-dataset.js';

/** A load of verifications, reports of usage, registrations or reads. */
export interface RawLoad extends Load {
  /** The keys to verify: a number of those of `buildUsableKeys`, or their strings. */
  readonly keysInUse?: number | readonly string[];
  /** The number of end users whom the verifications name in turn. Default: they name none. */
  readonly users?: number;
  /** The keys that the usage reports name. */
  readonly reports?: Shape;
  /**
   * The rate of an open loop, which does not wait for answers; absent for one request after
   * another.
   */
  readonly perSecond?: number;
}

export interface RawResult extends LoadResult {
  /**
   * In an open loop, the time of each answer in milliseconds from the moment its request was due.
   */
  readonly times: readonly number[];
}

const TICK_MS = 1;

async function run(load: RawLoad): Promise<RawResult> {
  const { url, connections: count, perSecond } = load;
  const questions = questionsOf(load);
  const connections = await Promise.all(Array.from({ length: count }, () => Connection.open(url)));
  const began = performance.now();
  const result =
    perSecond === undefined
      ? await oneAfterAnother(connections, questions, load.seconds)
      : await atRate(connections, questions, load.seconds, perSecond);
  const seconds = (performance.now() - began) / 1_000;
  for (const connection of connections) connection.close();
  return { ...result, seconds };
}

function questionsOf(load: RawLoad): Questions {
  const { keysInUse, users, reports: shape } = load;
  if (shape) return reports(load, shape);
  if (keysInUse !== undefined) return verifications(load, keysInUse, users);
  if (load.method === 'GET') return reads(load);
  return load.url.endsWith('/keys') ? creations(load) : registrations(load);
}

type Counted = Omit<RawResult, 'seconds'>;

async function oneAfterAnother(
  connections: readonly Connection[],
  questions: Questions,
  seconds: number,
): Promise<Counted> {
  const end = performance.now() + seconds * 1_000;
  let answered = 0;
  let failed = 0;
  const loop = (connection: Connection): Promise<void> =>
    new Promise((resolve) => {
      const ask = (): void =>
        connection.ask(questions(), (status) => {
          if (isSuccess(status)) answered += 1;
          else failed += 1;
          if (status === 0 || performance.now() >= end) resolve();
          else ask();
        });
      ask();
    });
  await Promise.all(connections.map(loop));
  return { answered, failed, times: [] };
}

async function atRate(
  connections: readonly Connection[],
  questions: Questions,
  seconds: number,
  perSecond: number,
): Promise<Counted> {
  const times: number[] = [];
  const free = [...connections];
  const began = performance.now();
  const total = perSecond * seconds;
  let sent = 0;
  let failed = 0;
  const sendDue = (): void => {
    const due = Math.min(total, ((performance.now() - began) * perSecond) / 1_000);
    while (sent < due) {
      const connection = free.pop();
      if (!connection) return;
      const dueAt = began + (sent * 1_000) / perSecond;
      sent += 1;
      connection.ask(questions(), (status) => {
        times.push(performance.now() - dueAt);
        if (!isSuccess(status)) failed += 1;
        free.push(connection);
        sendDue();
      });
    }
  };
  for await (const _ of setInterval(TICK_MS)) {
    sendDue();
    if (times.length >= total) break;
  }
  return { answered: times.length - failed, failed, times };
}

function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

process.once('message', (load: RawLoad) => {
  void run(load).then((result) => process.send?.(result, () => process.disconnect()));
});
