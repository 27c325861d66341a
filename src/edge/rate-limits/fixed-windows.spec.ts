import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { FixedWindows } from './fixed-windows.js';

const LIMIT = { count: 3, seconds: 60 };
const BEGIN = Date.parse('2026-03-29T00:59:30.500Z');

function after(seconds: number): Date {
  return new Date(BEGIN + seconds * 1_000);
}

describe('fixed windows', () => {
  let windows: FixedWindows;
  let id: string;

  beforeEach(() => {
    windows = new FixedWindows();
    id = randomUUID();
  });

  function use(seconds: number, limit = LIMIT): string {
    const { granted, window } = windows.use(id, limit, after(seconds));
    const ends = (window.endsAt.getTime() - BEGIN) / 1_000;
    return `${granted ? 'granted' : 'refused'}, ${window.used} used, ends at ${ends}`;
  }

  it('begin with the first use and last so many seconds', () => {
    expect(use(0)).toBe('granted, 1 used, ends at 60');
    expect(use(59.999)).toBe('granted, 2 used, ends at 60');
    expect(use(60)).toBe('granted, 1 used, ends at 120');
    expect(use(300.25)).toBe('granted, 1 used, ends at 360.25');
  });

  it('refuse what is beyond the limit and do not count it', () => {
    for (let count = 0; count < LIMIT.count; count += 1) use(0);
    expect(use(1)).toBe('refused, 3 used, ends at 60');
    expect(use(59.999)).toBe('refused, 3 used, ends at 60');
    expect(use(60)).toBe('granted, 1 used, ends at 120');
  });

  it('grant exactly so many uses, at each beginning', () => {
    for (const seconds of [0, 60, 500]) {
      const uses = Array.from({ length: 20 }, () => use(seconds));
      const granted = uses.filter((one) => one.startsWith('granted')).sort();
      const ends = `ends at ${seconds + 60}`;
      expect(granted).toEqual([1, 2, 3].map((used) => `granted, ${used} used, ${ends}`));
    }
  });

  it('are counted for each id by itself', () => {
    for (let count = 0; count <= LIMIT.count; count += 1) use(0);
    const other = windows.use(randomUUID(), LIMIT, after(0));
    expect(other).toMatchObject({ granted: true, window: { used: 1 } });
  });

  it('are over at their end also after the clock was set back', () => {
    windows.use(randomUUID(), LIMIT, after(3_600));
    for (let count = 0; count < LIMIT.count; count += 1) use(0);
    expect(use(60)).toBe('granted, 1 used, ends at 120');
  });

  it('are over when the clock was set back by more than they last', () => {
    for (let count = 0; count < LIMIT.count; count += 1) use(3_600);
    expect(use(3_601)).toBe('refused, 3 used, ends at 3660');
    expect(use(0)).toBe('granted, 1 used, ends at 60');
    expect(use(1)).toBe('granted, 2 used, ends at 60');
  });

  it('take back a use, which can be had again', () => {
    const first = windows.use(id, LIMIT, after(0));
    use(1);
    use(1);
    first.window.used -= 1;
    expect(use(2)).toBe('granted, 3 used, ends at 60');
    expect(use(2)).toBe('refused, 3 used, ends at 60');
  });

  it('take nothing back from a window that was over before', () => {
    const first = windows.use(id, LIMIT, after(0));
    use(60);
    first.window.used -= 1;
    expect(use(61)).toBe('granted, 2 used, ends at 120');
  });

  it('refuse all that is beyond a limit that was lowered', () => {
    for (let count = 0; count < LIMIT.count; count += 1) use(0);
    expect(use(1, { count: 1, seconds: 60 })).toBe('refused, 3 used, ends at 60');
  });
});
