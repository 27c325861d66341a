import { Unavailable } from '../../kernel/errors.js';

/** How long a reading is begun anew: on a busy machine writes come as fast as reads. */
const LONGEST_MS = 5_000;

/**
 * What was being read is not kept any longer: it changed twice since the reading began, or connections broke and nobody
 * knows.
 */
export class Overtaken extends Error {
  override readonly name = 'Overtaken';

  constructor() {
    super('documents or the server changed faster than they could be read');
  }
}

/** Reads until nothing overtakes the reading. @throws Unavailable when something does for 5 s. */
export async function untilNotOvertaken<Result>(read: () => Promise<Result>): Promise<Result> {
  const until = performance.now() + LONGEST_MS;
  for (;;) {
    try {
      return await read();
    } catch (error) {
      if (!(error instanceof Overtaken)) throw error;
      if (performance.now() > until) throw new Unavailable('read store', error);
    }
  }
}
