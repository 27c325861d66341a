import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { environmentOf, type Example } from './examples.js';

/** Stands for values that are no records in the language of the reporter. */
type NoRecords = 'no records';

interface Told {
  readonly waits?: number;
  readonly expectsAnswerWithin?: number;
}

/** A process with the reporter of an example. */
export interface RunningReporter {
  /** Reports records, and resolves when the reporter has them. */
  report(...records: readonly (object | NoRecords)[]): Promise<void>;
  /** The lines that it has printed. */
  readonly lines: () => string[];
  /** The times that it has waited, in ms, each different time once. */
  readonly waits: () => Set<number | undefined>;
  /** The times that it lets an answer take, in ms, each different time once. */
  readonly expectsAnswerWithin: () => Set<number | undefined>;
  readonly isRunning: () => boolean;
  /** Kills it, like a crash. */
  crash(): Promise<void>;
}

/** Starts the reporter. In the same directory it goes on with what one before has left there. */
export async function startReporter(
  { language, program, folder }: Example,
  directory: string,
  settings: { readonly ADDRESS: string; readonly KEY: string },
): Promise<RunningReporter> {
  const file = language === 'Node' ? 'reporting-api.mjs' : 'reporting_api.py';
  const child = spawn(program, [resolve('test/project/docs', file)], {
    cwd: directory,
    env: environmentOf({ FOLDER: folder, ...settings }),
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    // Carries NaN, which JSON does not. Python reads lines of JSON.
    serialization: language === 'Node' ? 'advanced' : 'json',
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
