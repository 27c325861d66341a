import { describe, expect, it } from '@jest/globals';
import { metadataAt } from '../../test/specs/metadata-at.js';
import { areOfOneAppend, endsAppend } from './append-boundary.js';
import { sealed } from './event-hash.js';
import type { RecordedEvent, StoredEvent } from './event-log.js';

const stored: StoredEvent = { id: 'x', type: 'T', version: 1, data: {}, metadata: metadataAt(0) };

/** Gives the events of appends to one stream, as read from the log. The arguments are the sizes of the appends. */
function read(counts: readonly number[], stream = 's'): RecordedEvent[] {
  const events: RecordedEvent[] = [];
  for (const count of counts) {
    const append = Array.from({ length: count }, () => stored);
    for (const event of sealed(stream, append, events.length - 1))
      events.push({ ...event, stream, revision: events.length, position: '' });
  }
  return events;
}

describe('where an append ends', () => {
  it('is with the last of its events', () => {
    expect(read([1, 3, 2]).map(endsAppend)).toEqual([true, false, false, true, false, true]);
  });

  it('is not told by an event of an earlier release', () => {
    expect(endsAppend({ ...stored, stream: 's', revision: 0, position: '' })).toBeUndefined();
  });

  it('parts it from the next append of its stream, also where events between were passed over', () => {
    const events = read([3, 2]);
    const together = (a: number, b: number) => {
      const [event, later] = [events[a], events[b]];
      return event && later && areOfOneAppend(event, later);
    };
    expect([together(0, 1), together(0, 2), together(1, 2), together(3, 4)]).toEqual(
      Array(4).fill(true),
    );
    expect([together(2, 3), together(1, 3), together(0, 4)]).toEqual(Array(3).fill(false));
  });

  it('parts it from what other streams got', () => {
    const [first] = read([2]);
    const [, other] = read([2], 'other');
    expect(first && other && areOfOneAppend(first, other)).toBe(false);
  });

  it('is where the cause changes, for events of an earlier release', () => {
    const [one, two] = [0, 1].map((revision) => ({
      ...stored,
      stream: 's',
      revision,
      position: '',
    }));
    if (!one || !two) throw new Error('there are two');
    expect(areOfOneAppend(one, two)).toBe(true);
    const metadata = { ...two.metadata, causation_id: 'another' };
    expect(areOfOneAppend(one, { ...two, metadata })).toBe(false);
  });
});
