import { execFile } from 'node:child_process';
import { readdirSync, symlinkSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { makeTempDirectory } from '../../support/harness/temp-directory.js';
import { read } from './markdown.js';

interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Every document of the project. */
export const DOCUMENTS: readonly string[] = [
  ...['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md'],
  ...['bench', 'deploy', 'docs', 'examples', 'src', 'test'].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.md'))
      .map((file) => join(folder, file)),
  ),
];

/** The blocks of commands in a document, marked or not. */
export const BLOCKS = /^(?: *<!-- needs .+ -->\n\n)? *```sh\n([^]*?)^ *```$/gm;

/**
 * Gives the shell commands of a document in order: each fenced block, also within a list. Leaves
 * out those that a comment before the block says no test can run: `<!-- needs docker -->`.
 */
export function commandsOf(document: string): string[] {
  return commandsIn(read(document));
}

/** Gives the shell commands of a part of a document, as `commandsOf` does. */
export function commandsIn(markdown: string): string[] {
  const blocks = [...markdown.matchAll(BLOCKS)];
  const unmarked = blocks.filter(([block]) => !block.trimStart().startsWith('<!--'));
  return unmarked.map(([, text = '']) => text.trim());
}

/**
 * Runs a command of a document in a shell that ends at the first fault, with `keyledger` linked as
 * in the image.
 */
export function run(command: string, environment: Readonly<Record<string, string>>): Promise<Ran> {
  const programs = makeTempDirectory();
  symlinkSync(resolve('dist/cli.js'), join(programs.path, 'keyledger'));
  const env = { PATH: [programs.path, process.env.PATH].join(delimiter), ...environment };
  return new Promise((done) => {
    execFile('sh', ['-e', '-c', command], { env }, (error, stdout, stderr) => {
      programs.remove();
      const code = typeof error?.code === 'number' ? error.code : error ? -1 : 0;
      done({ code, stdout, stderr });
    });
  });
}
