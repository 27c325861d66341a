import { messageOf } from '../../kernel/errors.js';

/** One line of a diagnosis (docs/api.md 9.6). */
export interface Finding {
  readonly part: string;
  readonly state: 'ok' | 'warn' | 'fail';
  /** What was found, without secrets. */
  readonly found: string;
  /** What to do; null where all is well. */
  readonly todo: string | null;
}

/** The functions that make findings about one part of the setup, one function for each state. */
export interface Findings {
  readonly ok: (found: string) => Finding;
  readonly warn: (found: string, todo: string) => Finding;
  readonly fail: (found: string, todo: string) => Finding;
}

export function findingsOf(part: string): Findings {
  return {
    ok: (found) => ({ part, state: 'ok', found, todo: null }),
    warn: (found, todo) => ({ part, state: 'warn', found, todo }),
    fail: (found, todo) => ({ part, state: 'fail', found, todo }),
  };
}

/** Calls `look`. An error that `look` throws becomes a finding, so that the next look is called too. */
export async function looked(
  { fail }: Findings,
  todo: string,
  look: () => readonly Finding[] | Promise<readonly Finding[]>,
): Promise<readonly Finding[]> {
  try {
    return await look();
  } catch (error) {
    return [fail(messageOf(error), todo)];
  }
}
