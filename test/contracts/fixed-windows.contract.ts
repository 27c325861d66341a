import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { FixedWindows } from '../../src/rate-limits/fixed-windows.js';

const LIMIT = { count: 3, seconds: 60 };
const BEGIN = Date.parse('2026-03-29T00:59:30.500Z');

function after(seconds: number): Date {
  return new Date(BEGIN + seconds * 1_000);
}

/** The guarantees of rate-limit windows, wherever they are counted. */
export function fixedWindowsContract(name: string, windowsOf: () => FixedWindows): void {
  describe(`fixed windows ${name}`, () => {
    let windows: FixedWindows;
    let id: string;

    beforeEach(() => {
      windows = windowsOf();
      id = randomUUID();
    });

    async function use(seconds: number, limit = LIMIT): Promise<string> {
      const { granted, window } = await windows.use(id, limit, after(seconds));
      const ends = (window.endsAt.getTime() - BEGIN) / 1_000;
      return `${granted ? 'granted' : 'refused'}, ${window.used} used, ends at ${ends}`;
    }

    it('begin with the first use and last so many seconds', async () => {
      expect(await use(0)).toBe('granted, 1 used, ends at 60');
      expect(await use(59.999)).toBe('granted, 2 used, ends at 60');
      expect(await use(60)).toBe('granted, 1 used, ends at 120');
      expect(await use(300.25)).toBe('granted, 1 used, ends at 360.25');
    });

    it('refuse what is beyond the limit and do not count it', async () => {
      for (let count = 0; count < LIMIT.count; count += 1) await use(0);
      expect(await use(1)).toBe('refused, 3 used, ends at 60');
      expect(await use(59.999)).toBe('refused, 3 used, ends at 60');
      expect(await use(60)).toBe('granted, 1 used, ends at 120');
    });

    it('grant exactly so many of those who come at once, at each beginning', async () => {
      for (const seconds of [0, 60, 500]) {
        const uses = await Promise.all(Array.from({ length: 20 }, () => use(seconds)));
        const granted = uses.filter((one) => one.startsWith('granted')).sort();
        const ends = `ends at ${seconds + 60}`;
        expect(granted).toEqual([1, 2, 3].map((used) => `granted, ${used} used, ${ends}`));
      }
    });

    it('are counted for each id by itself', async () => {
      for (let count = 0; count <= LIMIT.count; count += 1) await use(0);
      const other = await windows.use(randomUUID(), LIMIT, after(0));
      expect(other).toMatchObject({ granted: true, window: { used: 1 } });
    });

    it('are over at their end also after the clock was set back', async () => {
      await windows.use(randomUUID(), LIMIT, after(3_600));
      for (let count = 0; count < LIMIT.count; count += 1) await use(0);
      expect(await use(60)).toBe('granted, 1 used, ends at 120');
    });

    it('are over when the clock was set back by more than they last', async () => {
      for (let count = 0; count < LIMIT.count; count += 1) await use(3_600);
      expect(await use(3_601)).toBe('refused, 3 used, ends at 3660');
      expect(await use(0)).toBe('granted, 1 used, ends at 60');
      expect(await use(1)).toBe('granted, 2 used, ends at 60');
    });

    it('take back a use, which can be had again', async () => {
      const first = await windows.use(id, LIMIT, after(0));
      await use(1);
      await use(1);
      expect(await windows.giveBack(id, first.window)).toMatchObject({ used: 2 });
      expect(await use(2)).toBe('granted, 3 used, ends at 60');
      expect(await use(2)).toBe('refused, 3 used, ends at 60');
    });

    it('take nothing back from a window that was over before', async () => {
      const first = await windows.use(id, LIMIT, after(0));
      await use(60);
      expect(await windows.giveBack(id, first.window)).toBeUndefined();
      expect(await use(61)).toBe('granted, 2 used, ends at 120');
    });

    it('refuse all that is beyond a limit that was lowered', async () => {
      for (let count = 0; count < LIMIT.count; count += 1) await use(0);
      expect(await use(1, { count: 1, seconds: 60 })).toBe('refused, 3 used, ends at 60');
    });
  });
}
