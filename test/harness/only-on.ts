import { relative } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { CHOSEN, type Choice } from './backends.js';
import { canFailSyncs } from './file-faults.js';
import { installed } from './installed.js';

/**
 * Gives Jest's `describe` and `it` for tests that need certain backends. On other backends both skip their tests, and
 * report that.
 * @param needed the backends: one of several choices, each with everything that it names.
 * @param why the reason in the report.
 */
export function onlyOn(
  needed: Partial<Choice> | readonly Partial<Choice>[],
  why: string,
): { readonly describe: typeof describe.skip; readonly it: typeof it.skip } {
  if ([needed].flat().some(isChosen)) return { describe, it };
  reportSkipped(` on ${CHOSEN.eventLog} with ${CHOSEN.readStore}`, why);
  return { describe: describe.skip, it: it.skip };
}

/** Gives Jest's `describe` for suites that stop the log. On a given server it skips them, and reports that. */
export function unlessServerIsGiven(why: string): typeof describe.skip {
  if (CHOSEN.eventLog === 'sqlite' || process.env.TEST_EVENTSTOREDB === undefined) return describe;
  reportSkipped(' on the server of TEST_EVENTSTOREDB', why);
  return describe.skip;
}

/** Gives Jest's `it` for tests that need root. Other users skip them, with a report. */
export function onlyAsRoot(why: string): typeof it.skip {
  if (process.getuid?.() === 0) return it;
  reportSkipped('', why);
  return it.skip;
}

/** Gives Jest's `it` for tests that need Linux. Other systems skip them, with a report. */
export function onlyOnLinux(why: string): typeof it.skip {
  if (process.platform === 'linux') return it;
  reportSkipped(` on ${process.platform}`, why);
  return it.skip;
}

/** Gives Jest's `it` for tests that need a failing disk. Without strace it skips them, with a report. */
export function onlyWhereDisksFail(): typeof it.skip {
  if (canFailSyncs()) return it;
  reportSkipped('', '`strace`, which lets a disk fail, is missing or forbidden');
  return it.skip;
}

/** Gives Jest's `describe` for tests that need a program. Without the program it skips them, with a report. */
export function onlyWhereInstalled(program: string): typeof describe.skip {
  if (installed(program) !== undefined) return describe;
  reportSkipped('', `\`${program}\` is not installed`);
  return describe.skip;
}

function reportSkipped(where: string, why: string): void {
  const { testPath = 'a suite' } = expect.getState();
  const suite = relative(process.cwd(), testPath);
  process.stderr.write(`NOT RUN${where}: part of ${suite}, as ${why}\n`);
}

function isChosen({ eventLog, readStore }: Partial<Choice>): boolean {
  return (
    (eventLog ?? CHOSEN.eventLog) === CHOSEN.eventLog &&
    (readStore ?? CHOSEN.readStore) === CHOSEN.readStore
  );
}
