import { describe, expect, it } from '@jest/globals';
import { validate, version } from 'uuid';
import { newEventId } from './event-id.js';

describe('the id of a new event', () => {
  const ids = Array.from({ length: 1_000 }, newEventId);

  it('is a UUID of version 7', () => {
    expect(ids.every((id) => validate(id) && version(id) === 7)).toBe(true);
  });

  it('is never the same', () => {
    const ends = ids.map((id) => id.slice(-12));
    expect(new Set(ends).size).toBe(ids.length);
  });

  it('comes after those of earlier milliseconds', () => {
    const times = ids.map((id) => id.slice(0, 13));
    expect(times).toEqual([...times].sort());
  });
});
