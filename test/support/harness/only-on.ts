import { relative } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { FORM, type Form } from './backends.js';
import { canFailSyncs } from './file-faults.js';
import { installed } from './installed.js';

/**
 * Gives Jest's `describe` and `it` for tests that need one form of backends. On the other form both
 * skip their tests, and report that.
 * @param why the reason in the report.
 */
export function onlyOn(
  form: Form,
  why: string,
): { readonly describe: typeof describe.skip; readonly it: typeof it.skip } {
  if (form === FORM) return { describe, it };
  reportSkipped(` on ${FORM} backends`, why);
  return { describe: describe.skip, it: it.skip };
}

/**
 * Gives Jest's `describe` for suites that stop the log. On a given server it skips them, and
 * reports that.
 */
export function unlessServerIsGiven(why: string): typeof describe.skip {
  if (FORM === 'embedded' || process.env.TEST_EVENTSTOREDB === undefined) return describe;
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

/**
 * Gives Jest's `it` for tests that need a failing disk. Without strace it skips them, with a
 * report.
 */
export function onlyWhereDisksFail(): typeof it.skip {
  if (canFailSyncs()) return it;
  reportSkipped('', '`strace`, which lets a disk fail, is missing or forbidden');
  return it.skip;
}

/**
 * Gives Jest's `describe` for tests that need a program. Without the program it skips them, with a
 * report, unless REQUIRE_PROGRAMS names the program.
 */
export function onlyWhereInstalled(program: string): typeof describe.skip {
  const required = (process.env.REQUIRE_PROGRAMS ?? '').split(',').includes(program);
  if (required || installed(program) !== undefined) return describe;
  reportSkipped('', `\`${program}\` is not installed`);
  return describe.skip;
}

function reportSkipped(where: string, why: string): void {
  const { testPath = 'a suite' } = expect.getState();
  const suite = relative(process.cwd(), testPath);
  process.stderr.write(`NOT RUN${where}: part of ${suite}, as ${why}\n`);
}
