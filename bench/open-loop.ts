import { Agent, request } from 'node:http';
import { setInterval } from 'node:timers/promises';
import type { Load } from './load.js';
import { questionsOf } from './questions.js';

/** A load that asks at a fixed rate, however long the answers take. */
export interface OpenLoop extends Load {
  readonly perSecond: number;
}

export interface OpenLoopResult {
  /** The time of each answer in milliseconds, from when its request was due. */
  readonly times: readonly number[];
  readonly failed: number;
}

const TICK_MS = 1;

async function run(load: OpenLoop): Promise<OpenLoopResult> {
  const { url, seconds, connections, perSecond } = load;
  const question = questionsOf(load);
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const times: number[] = [];
  const pending = new Set<Promise<void>>();
  let failed = 0;
  const ask = (due: number): Promise<void> =>
    new Promise((resolve) => {
      const { method, headers, body } = question();
      const fail = (): void => {
        failed += 1;
        resolve();
      };
      const length = body === undefined ? {} : { 'Content-Length': Buffer.byteLength(body) };
      const options = { method, agent, headers: { ...headers, ...length } };
      const sent = request(url, options, (answer) => {
        answer.resume().on('error', fail);
        answer.on('end', () => {
          times.push(performance.now() - due);
          if ((answer.statusCode ?? 0) >= 300) fail();
          else resolve();
        });
      });
      sent.on('error', fail);
      sent.end(body);
    });
  const began = performance.now();
  const total = perSecond * seconds;
  let made = 0;
  for await (const _ of setInterval(TICK_MS)) {
    const due = Math.min(total, ((performance.now() - began) * perSecond) / 1_000);
    for (; made < due; made++) {
      const asked = ask(began + (made * 1_000) / perSecond).then(() => void pending.delete(asked));
      pending.add(asked);
    }
    if (made >= total) break;
  }
  await Promise.all(pending);
  agent.destroy();
  return { times, failed };
}

process.once('message', (load: OpenLoop) => {
  void run(load).then((result) => process.send?.(result, () => process.disconnect()));
});
