import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { definition, thing } from '../../../test/contracts/opened-store.js';
import { START } from '../../kernel/position.js';
import type { ReadModel } from '../read-store.js';
import { SqliteReadStore } from './sqlite-read-store.js';

const LARGE = 100_000;
/** Together more than a read may take before others. */
const MANY = 30;

describe('snapshots of a read model in SQLite', () => {
  let store: SqliteReadStore;
  let model: ReadModel;
  let answered: string[];

  beforeEach(async () => {
    store = new SqliteReadStore(':memory:');
    model = store.readModel(definition());
    answered = [];
    const large = Array.from({ length: MANY }, (_, number) =>
      thing('large', number, { text: 'x'.repeat(LARGE) }),
    );
    await model.write([...large, thing('small', 0)], START, '1');
  });

  afterEach(async () => {
    await store.close();
  });

  async function list(owner: string, limit = MANY): Promise<number> {
    const range = { index: 'by_number', equals: { owner }, limit };
    const found = await model.snapshot((view) => view.find('things', range));
    answered.push(owner);
    return found.length;
  }

  it('lets no small read wait behind a row of long ones, which all come whole', async () => {
    const long = Array.from({ length: 5 }, () => list('large'));
    const small = list('small');
    expect(await small).toBe(1);
    expect(answered).toEqual(['small']);
    await long[0];
    const late = list('small');
    expect(await late).toBe(1);
    expect(await Promise.all(long)).toEqual(Array(5).fill(MANY));
    expect(answered.indexOf('small', 1)).toBeLessThan(4);
  });

  it('takes the newest by turns, so that nobody waits for all of a burst', async () => {
    const burst = Array.from({ length: 12 }, () => list('large', 5));
    await burst[0];
    expect(await list('small')).toBe(1);
    expect(answered.indexOf('small')).toBeLessThan(5);
    expect(await Promise.all(burst)).toEqual(Array(12).fill(5));
  });

  it('shows a long read the state that it is read in, and what it throws to who asked for it', async () => {
    const long = list('large');
    await model.write([{ ...thing('large', 0), document: null, position: '2' }], '1', '2');
    expect(await long).toBe(MANY - 1);
    const broken = model.snapshot(async (view) => {
      await view.find('things', { index: 'by_number', equals: { owner: 'large' }, limit: MANY });
      throw new Error('it was too much');
    });
    await expect(broken).rejects.toThrow('it was too much');
  });

  it('refuses those that wait when the store is closed', async () => {
    const long = list('large');
    await list('small');
    await store.close();
    await expect(long).rejects.toMatchObject({ name: 'Unavailable' });
  });
});
