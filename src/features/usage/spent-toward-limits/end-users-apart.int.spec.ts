import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '../../../../test/support/harness/eventually.js';
import { endUserOf } from '../../../../test/support/histories/usage.js';
import { SpendingShelf } from '../../../../test/support/specs/spending-shelf.js';

/** More than fit into their memory. */
const MANY = 35_000;

describe('the spending of end users, whom anyone can invent,', () => {
  let shelf: SpendingShelf;

  beforeEach(() => {
    shelf = new SpendingShelf();
  });

  afterEach(() => shelf.log.close());

  it('is read by 16 reads at once, for which no key waits, and once for all who wait', async () => {
    const spending = shelf.spendingOver();
    await shelf.spend(1n);
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    shelf.meanwhile = () => held;
    const names = Array.from({ length: 20 }, (_, index) => endUserOf(`user-${index}`));
    const asked = [...names, ...names].map((hash) => shelf.of(spending, { hash }));
    await eventually('16 reads', () => shelf.reads >= 16);
    shelf.meanwhile = () => Promise.resolve();
    expect(await shelf.of(spending)).toBe('1');
    expect(shelf.reads).toBe(17);
    release();
    await Promise.all(asked);
    expect(shelf.reads).toBe(21);
  });

  it('has memory of its own, from which it pushes no key', async () => {
    const spending = shelf.spendingOver();
    await shelf.spend(1n);
    await shelf.of(spending);
    for (let index = 0; index < MANY; index++) {
      await shelf.of(spending, { hash: endUserOf(`user-${index}`) });
    }
    expect(shelf.reads).toBe(1 + MANY);
    await shelf.of(spending);
    await shelf.of(spending, { hash: endUserOf(`user-${MANY - 1}`) });
    expect(shelf.reads).toBe(1 + MANY);
    await shelf.of(spending, { hash: endUserOf('user-0') });
    expect(shelf.reads).toBe(2 + MANY);
  });
});
