import { rmSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { type Replica, Replicas } from '../../../test/support/specs/replicas.js';
import { tallies, type TallyEvent } from '../../../test/support/specs/tally.js';
import type { Projection } from './projection.js';
import { readSideOf } from './read-side.js';

/** A document for each name, with the number of names before it. */
const names: Projection<TallyEvent> = {
  ...tallies,
  name: 'names',
  evolve: (documents, { data: { name, amount } }) => {
    const before = documents.get<{ sum: number }>('totals', 'all')?.sum ?? 0;
    if (!documents.create('names', name, { amount, before })) return;
    documents.set('totals', 'all', { sum: before + 1 });
  },
};

const readSide = readSideOf('names', [names]);

describe('a log that holds an event twice', () => {
  let replicas: Replicas;

  beforeEach(() => {
    replicas = new Replicas();
  });

  afterEach(async () => {
    await replicas.dispose();
  });

  it('counts the first, live as in a rebuild', async () => {
    const live = replicas.start({ readSide });
    await live.models.caughtUp;
    const dropped = jest.spyOn(live.store, 'drop');
    for (let count = 0; count < 350; count += 1) await replicas.tally(String(count));
    await replicas.tally('7', 99);
    await replicas.tally('after', 1);
    const documents = async ({ models, log }: Replica): Promise<unknown> => {
      expect(await models.progress.waitFor(await log.head(), 8_000)).toBe(true);
      return models
        .of(names)
        .projected(null, async (view) => [
          await view.get('names', '7'),
          await view.get('names', 'after'),
          (await view.scan('names', '', 1_000)).length,
        ]);
    };
    const right = [{ amount: 1, before: 7 }, { amount: 1, before: 350 }, 351];
    expect(await documents(live)).toEqual(right);
    expect(dropped).not.toHaveBeenCalled();
    await live.stop();
    rmSync(replicas.readModels, { recursive: true });
    expect(await documents(replicas.start({ readSide }))).toEqual(right);
  });
});
