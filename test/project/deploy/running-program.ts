import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '../../support/harness/eventually.js';
import { installed } from '../../support/harness/installed.js';
import type { makeTempDirectory } from '../../support/harness/temp-directory.js';

const READY_WITHIN_MS = 20_000;

/** A gateway or a proxy that runs in front of something. */
export interface RunningProgram {
  readonly address: string;
  /** Gives what the program has printed so far. */
  readonly output: () => string;
  stop(): Promise<void>;
}

/** Starts a program with its files in a directory, and waits until it serves an address. */
export async function startProgram(
  name: string,
  args: readonly string[],
  directory: ReturnType<typeof makeTempDirectory>,
  serving: {
    readonly address: string;
    readonly environment?: Readonly<Record<string, string>>;
    readonly answers: () => Promise<boolean>;
  },
): Promise<RunningProgram> {
  const { address, environment, answers } = serving;
  const child = spawn(installed(name) ?? name, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env.PATH, HOME: directory.path, ...environment },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => (output += chunk));
  }
  const ended = once(child, 'close');
  const stop = async (): Promise<void> => {
    child.kill('SIGKILL');
    await ended;
    directory.remove();
  };
  try {
    const early = ended.then(() => {
      throw new Error(`${name} has ended`);
    });
    const isServing = () => answers().catch(() => false);
    await Promise.race([eventually(`${name} answers`, isServing, READY_WITHIN_MS), early]);
  } catch (error) {
    await stop();
    throw new Error(output, { cause: error });
  }
  return { address, output: () => output, stop };
}

/** Makes an nginx configuration of a block, with all files of nginx in a directory. */
export function nginxConfiguration(directory: string, block: string): string {
  const kinds = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  for (const kind of kinds) mkdirSync(join(directory, kind));
  const own = kinds.map((kind) => `${kind}_temp_path ${directory}/${kind};`);
  return `daemon off; master_process off; pid ${directory}/pid; error_log stderr; events {}
http { access_log off; ${own.join(' ')}
${block}}
`;
}
