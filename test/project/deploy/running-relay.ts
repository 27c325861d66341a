import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';

const RELAY = resolve('deploy/webhook-relay/relay.mjs');

/** A process of the webhook relay. */
export interface RunningRelay {
  /** The lines that it has printed. */
  readonly lines: () => string[];
  /** Resolves at its end, with its exit code; null after a signal. */
  readonly ended: Promise<number | null>;
  stop(signal: NodeJS.Signals): Promise<number | null>;
}

export function startRelay(settings: Readonly<Record<string, string>>): RunningRelay {
  const child = spawn(process.execPath, [RELAY], {
    env: { PATH: process.env.PATH, ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => (printed += chunk));
  }
  const ended = once(child, 'close').then(() => child.exitCode);
  return {
    lines: () => printed.split('\n').slice(0, -1),
    ended,
    stop(signal) {
      child.kill(signal);
      return ended;
    },
  };
}
