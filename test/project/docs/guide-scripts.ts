import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { blocksOf, read } from './markdown.js';

export const guide = read('docs/guides/protect-an-api.md');

const scripts = blocksOf(guide).filter(({ language }) => language === 'js');

/** The names of the scripts in the guide, in order. */
export const scriptNames = [...guide.matchAll(/[Ss]aved? (?:this )?as `([\w-]+\.mjs)`/g)].map(
  ([, name = '']) => name,
);

/** Writes each script into a directory, as the guide prints it. */
export function writeScripts(directory: string): void {
  if (scripts.length !== scriptNames.length) throw new Error('a script of the guide has no name');
  for (const [index, name] of scriptNames.entries()) {
    writeFileSync(join(directory, name), scripts[index]?.text ?? '');
  }
}
