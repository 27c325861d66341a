import { relative } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { CHOSEN, type Choice } from './backends.js';

/**
 * Jest's `describe` and `it` for what only one backend has. When the suites run on another one, both skip what they
 * are given, and say so.
 * @param why what it is about that backend.
 */
export function onlyOn(
  needed: Partial<Choice>,
  why: string,
): { readonly describe: typeof describe.skip; readonly it: typeof it.skip } {
  const { eventLog = CHOSEN.eventLog, readStore = CHOSEN.readStore } = needed;
  if (eventLog === CHOSEN.eventLog && readStore === CHOSEN.readStore) return { describe, it };
  const { testPath = 'a suite' } = expect.getState();
  const suite = relative(process.cwd(), testPath);
  const chosen = `${CHOSEN.eventLog} with ${CHOSEN.readStore}`;
  process.stderr.write(`NOT RUN on ${chosen}: part of ${suite}, as ${why}\n`);
  return { describe: describe.skip, it: it.skip };
}
