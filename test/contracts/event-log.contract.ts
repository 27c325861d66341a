import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ConflictError } from '../../src/event-log/event-log.js';
import { START } from '../../src/kernel/position.js';
import { metadataAt } from '../specs/metadata-at.js';
import { appendingContract } from './event-log-appending.contract.js';
import { readingContract } from './event-log-reading.contract.js';
import { event, freshStream, type OpenedLog } from './opened-log.js';

/** What every event log guarantees, the dangerous parts first. */
export function eventLogContract(name: string, open: () => Promise<OpenedLog>): void {
  describe(`${name} as an event log`, () => {
    let opened: OpenedLog;

    beforeEach(async () => {
      opened = await open();
    });

    afterEach(async () => {
      await opened.dispose();
    });

    appendingContract(() => opened);
    readingContract(() => opened);

    it('has its head where the last append ended', async () => {
      const { position } = await opened.log.append(freshStream(), [event(), event()], 'no-stream');
      expect(await opened.log.head()).toBe(position);
    });

    it('says of a position how many events are before and after it, and when the next happened', async () => {
      const stream = freshStream();
      const { log } = opened;
      const { passed: before } = await log.place(await log.head());
      const first = await log.append(stream, [event()], 'no-stream');
      await expect(log.append(stream, [event()], 'no-stream')).rejects.toThrow(ConflictError);
      const next = { ...event(), metadata: metadataAt(7) };
      const last = await log.append(freshStream(), [next, event()], 'no-stream');
      expect(await log.place(first.position)).toEqual({
        passed: before + 1,
        ahead: 2,
        nextOccurredAt: next.metadata.occurred_at,
      });
      expect(await log.place(last.position)).toEqual({
        passed: before + 3,
        ahead: 0,
        nextOccurredAt: null,
      });
      expect(await log.place(START)).toMatchObject({ passed: 0, ahead: before + 3 });
    });

    it('holds the positions it gave, and START, and no others', async () => {
      const first = await opened.log.append(freshStream(), [event()], 'no-stream');
      const { position } = await opened.log.append(freshStream(), [event()], 'no-stream');
      expect(await opened.log.holds(first.position)).toBe(true);
      expect(await opened.log.holds(position)).toBe(true);
      expect(await opened.log.holds(START)).toBe(true);
      const flipped = position.replace(/.$/, (last) => (last === '0' ? '1' : '0'));
      expect(await opened.log.holds(flipped)).toBe(false);
    });

    it('still has everything after it was opened anew', async () => {
      const name = freshStream();
      const { position } = await opened.log.append(name, [event()], 'no-stream');
      const before = await opened.log.readStream(name);
      await opened.reopen();
      expect(await opened.log.readStream(name)).toEqual(before);
      expect(await opened.log.head()).toBe(position);
    });
  });
}
