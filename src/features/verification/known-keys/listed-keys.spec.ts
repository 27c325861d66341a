import { describe, expect, it } from '@jest/globals';
import { Unavailable } from '../../../kernel/errors.js';
import { ListedKeys } from './listed-keys.js';

const ASKED_EVERY_MS = 10;
const MOST_WAITING = 10_000;

describe('the question which keys are listed', () => {
  it('is asked a bounded number of times a second, whoever comes', async () => {
    const asked: string[][] = [];
    const listed = new ListedKeys(async (hashes) => {
      asked.push([...hashes]);
      return new Set(hashes.filter((hash) => hash.startsWith('known')));
    });
    const began = performance.now();
    for (let round = 0; round < 20; round += 1) {
      const names = Array.from(
        { length: 50 },
        (_, index) => `${index % 2 ? 'known' : 'x'}-${index}`,
      );
      const answers = await Promise.all(names.map((name) => listed.has(name)));
      expect(answers).toEqual(names.map((name) => name.startsWith('known')));
    }
    // Timers of Node may end a millisecond early.
    expect(asked.length).toBeLessThanOrEqual(
      (performance.now() - began) / (ASKED_EVERY_MS - 1) + 1,
    );
    expect(asked.flat()).toHaveLength(20 * 50);
  });

  it('is asked anew for those who come while it is asked', async () => {
    const answered: (() => void)[] = [];
    const known = new Set<string>();
    const listed = new ListedKeys(
      () => new Promise((resolve) => answered.push(() => resolve(new Set(known)))),
    );
    const early = listed.has('a');
    while (answered.length < 1) await new Promise(setImmediate);
    known.add('b');
    const late = listed.has('b');
    answered[0]?.();
    expect(await early).toBe(false);
    while (answered.length < 2) await new Promise(setImmediate);
    answered[1]?.();
    expect(await late).toBe(true);
  });

  it('is refused when too many wait for it', async () => {
    const listed = new ListedKeys(async () => new Set());
    const waiting = Array.from({ length: MOST_WAITING }, (_, index) => listed.has(`${index}`));
    await expect(listed.has('one more')).rejects.toThrow(Unavailable);
    await Promise.all(waiting);
    expect(await listed.has('one more')).toBe(false);
  });

  it('fails with the directories, and is answered again after them', async () => {
    let isLost = true;
    const listed = new ListedKeys(async (hashes) => {
      if (isLost) throw new Unavailable('read model', 'gone');
      return new Set(hashes);
    });
    await expect(listed.has('a')).rejects.toThrow(Unavailable);
    isLost = false;
    expect(await listed.has('a')).toBe(true);
  });
});
