import { relative } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { CHOSEN, type Choice } from './backends.js';

/**
 * Jest's `describe` and `it` for what only some backends have. When the suites run on another one, both skip what they
 * are given, and say so.
 * @param needed any of these, each with all that it names.
 * @param why what it is about them.
 */
export function onlyOn(
  needed: Partial<Choice> | readonly Partial<Choice>[],
  why: string,
): { readonly describe: typeof describe.skip; readonly it: typeof it.skip } {
  if ([needed].flat().some(isChosen)) return { describe, it };
  const { testPath = 'a suite' } = expect.getState();
  const suite = relative(process.cwd(), testPath);
  const chosen = `${CHOSEN.eventLog} with ${CHOSEN.readStore}`;
  process.stderr.write(`NOT RUN on ${chosen}: part of ${suite}, as ${why}\n`);
  return { describe: describe.skip, it: it.skip };
}

function isChosen({ eventLog, readStore }: Partial<Choice>): boolean {
  return (
    (eventLog ?? CHOSEN.eventLog) === CHOSEN.eventLog &&
    (readStore ?? CHOSEN.readStore) === CHOSEN.readStore
  );
}
