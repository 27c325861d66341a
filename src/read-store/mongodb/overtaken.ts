import { Unavailable } from '../../kernel/errors.js';

const TRIES = 20;

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

/** Reads until nothing overtakes the reading. @throws Unavailable when something does again and again. */
export async function untilNotOvertaken<Result>(read: () => Promise<Result>): Promise<Result> {
  for (let tries = 1; ; tries++) {
    try {
      return await read();
    } catch (error) {
      if (!(error instanceof Overtaken)) throw error;
      if (tries >= TRIES) throw new Unavailable('read store', error);
    }
  }
}
