import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeScripts } from './guide-scripts.js';

/** How much faster the reporter's clock runs than the real one. */
const SPEED = 20;
const LONGEST_MS = 200;

/** Makes time pass faster for a script, and says how long it wanted to wait. The script stays as it is. */
const FASTER = `
  import { syncBuiltinESMExports } from 'node:module';
  import timers from 'node:timers/promises';
  const { setTimeout } = timers;
  const { timeout } = AbortSignal;
  timers.setTimeout = (ms, value) => {
    process.send({ waits: ms });
    return setTimeout(Math.min(ms / ${SPEED}, ${LONGEST_MS}), value);
  };
  AbortSignal.timeout = (ms) => {
    process.send({ expectsAnswerWithin: ms });
    return timeout(ms / ${SPEED});
  };
  syncBuiltinESMExports();
`;

/** A process of an API that reports each record that it gets. */
const API = `
  import { reporter } from './report.mjs';
  const { ADDRESS, KEY } = process.env;
  const report = reporter({ address: ADDRESS, managementKey: KEY, file: 'unanswered.json' });
  process.on('message', (records) => {
    for (const record of records) report(record);
    process.send({ took: records.length });
  });
  process.send({ took: 0 });
`;

interface Told {
  readonly waits?: number;
  readonly expectsAnswerWithin?: number;
}

/** A process with the reporter of the guide, as the guide prints it. */
export interface RunningReporter {
  /** Reports records, and resolves when the reporter has them. */
  report(...records: readonly object[]): Promise<void>;
  /** The lines that it has printed. */
  readonly lines: () => string[];
  /** How long it has waited, in ms, each time once. */
  readonly waits: () => Set<number | undefined>;
  /** How long it lets an answer take, in ms, each time once. */
  readonly expectsAnswerWithin: () => Set<number | undefined>;
  readonly isRunning: () => boolean;
  /** Kills it, like a crash. */
  crash(): Promise<void>;
}

/** Starts the reporter. In the same directory it goes on with what one before has left there. */
export async function startReporter(
  directory: string,
  settings: { readonly ADDRESS: string; readonly KEY: string },
): Promise<RunningReporter> {
  writeScripts(directory);
  writeFileSync(join(directory, 'faster.mjs'), FASTER);
  writeFileSync(join(directory, 'api-process.mjs'), API);
  const child = spawn(process.execPath, ['--import', './faster.mjs', 'api-process.mjs'], {
    cwd: directory,
    env: { PATH: process.env.PATH, ...settings },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    // Carries values that JSON does not.
    serialization: 'advanced',
  });
  let printed = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (printed += text));
  const told: Told[] = [];
  child.on('message', (message) => told.push(message as Told));
  const ended = once(child, 'close');
  const taken = (): Promise<void> =>
    new Promise((resolve, reject) => {
      child.on('message', (message: object) => {
        if ('took' in message) resolve();
      });
      void ended.then(() => reject(new Error(`the reporter ended: ${printed}`)));
    });
  await taken();
  const valuesOf = (name: keyof Told): Set<number | undefined> =>
    new Set(told.flatMap((message) => message[name] ?? []));
  return {
    async report(...records) {
      const all = taken();
      child.send(records);
      await all;
    },
    lines: () => printed.split('\n').slice(0, -1),
    waits: () => valuesOf('waits'),
    expectsAnswerWithin: () => valuesOf('expectsAnswerWithin'),
    isRunning: () => child.exitCode === null && child.signalCode === null,
    async crash() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
