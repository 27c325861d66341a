import { relative } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { CHOSEN, type Choice } from './backends.js';
import { canFailSyncs } from './file-faults.js';
import { installed } from './installed.js';

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
  tellNotRun(` on ${CHOSEN.eventLog} with ${CHOSEN.readStore}`, why);
  return { describe: describe.skip, it: it.skip };
}

/** Jest's `describe` for suites that take the log away. On a server that is given they skip it, and say so. */
export function unlessServerIsGiven(why: string): typeof describe.skip {
  if (CHOSEN.eventLog === 'sqlite' || process.env.TEST_EVENTSTOREDB === undefined) return describe;
  tellNotRun(' on the server of TEST_EVENTSTOREDB', why);
  return describe.skip;
}

/** Jest's `it` for what only root can do. For anybody else it skips what it is given, and says so. */
export function onlyAsRoot(why: string): typeof it.skip {
  if (process.getuid?.() === 0) return it;
  tellNotRun('', why);
  return it.skip;
}

/** Jest's `it` for what only Linux has. Elsewhere it skips what it is given, and says so. */
export function onlyOnLinux(why: string): typeof it.skip {
  if (process.platform === 'linux') return it;
  tellNotRun(` on ${process.platform}`, why);
  return it.skip;
}

/** Jest's `it` for what only a failing disk shows. Where none can be had, it skips what it is given, and says so. */
export function onlyWhereDisksFail(): typeof it.skip {
  if (canFailSyncs()) return it;
  tellNotRun('', '`strace`, which lets a disk fail, is missing or forbidden');
  return it.skip;
}

/**
 * Jest's `describe` for what needs a program. Where that is not installed, it skips what it is given, and says so, unless
 * REQUIRE_PROGRAMS names the program.
 */
export function onlyWhereInstalled(program: string): typeof describe.skip {
  const required = (process.env.REQUIRE_PROGRAMS ?? '').split(',').includes(program);
  if (required || installed(program) !== undefined) return describe;
  tellNotRun('', `\`${program}\` is not installed`);
  return describe.skip;
}

function tellNotRun(where: string, why: string): void {
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
