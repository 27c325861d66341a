import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ConflictError, followersOf } from '../../src/event-sourcing/event-log/event-log.js';
import { START } from '../../src/kernel/position.js';
import { metadataAt } from '../support/specs/metadata-at.js';
import { appendingContract } from './event-log-appending.contract.js';
import { readingContract } from './event-log-reading.contract.js';
import { event, freshStream, type OpenedLog } from './opened-log.js';

/** The guarantees of every event log, the dangerous parts first. */
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

    it('says of a position how far it is from start and end, and when the next event happened', async () => {
      const stream = freshStream();
      const { log } = opened;
      const before = await log.place(await log.head());
      const first = await log.append(stream, [event()], 'no-stream');
      await expect(log.append(stream, [event()], 'no-stream')).rejects.toThrow(ConflictError);
      const next = { ...event(), metadata: metadataAt(7) };
      const last = await log.append(freshStream(), [next, event()], 'no-stream');
      const atStart = await log.place(START);
      const atFirst = await log.place(first.position);
      const atLast = await log.place(last.position);
      expect(before).toMatchObject({ ahead: 0, nextOccurredAt: null });
      expect(atStart.passed).toBe(0);
      expect(atFirst.passed).toBeGreaterThan(before.passed);
      expect(atFirst.nextOccurredAt).toBe(next.metadata.occurred_at);
      expect(atLast).toEqual({ passed: atStart.ahead, ahead: 0, nextOccurredAt: null });
      expect(atFirst.passed + atFirst.ahead).toBe(atStart.ahead);
      expect(atFirst.ahead).toBeGreaterThan(0);
    });

    it('counts the events after a position, of all types or of those wanted', async () => {
      const { log } = opened;
      const before = await log.head();
      const two = [event({}, 'Wanted'), event({}, 'Other')];
      const { position } = await log.append(freshStream(), two, 'no-stream');
      await log.append(freshStream(), [event({}, 'Wanted')], 'no-stream');
      expect(await log.countAfter(before)).toBe(3);
      expect(await log.countAfter(before, { types: ['Wanted'] })).toBe(2);
      expect(await log.countAfter(position, { types: ['Wanted', 'Unheard'] })).toBe(1);
      expect(await log.countAfter(await log.head())).toBe(0);
      expect(await log.countAfter(before, { limit: 1 })).toBeGreaterThanOrEqual(1);
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

    it('has no identity while it is empty of ours, and keeps the one it gets', async () => {
      const { log } = opened;
      const isEmpty = (await log.head()) === START;
      expect(await log.identity()).toEqual(
        isEmpty ? null : { id: expect.any(String), position: expect.any(String) },
      );
      const first = event();
      const { position } = await log.append(freshStream(), [first], 'no-stream');
      const identity = await log.identity();
      if (isEmpty) expect(identity).toEqual({ id: first.id, position });
      await log.append(freshStream(), [event()], 'no-stream');
      expect(await log.identity()).toEqual(identity);
      await opened.reopen();
      expect(await opened.log.identity()).toEqual(identity);
    });

    it('does not hold a position behind its head', async () => {
      const { position } = await opened.log.append(freshStream(), [event()], 'no-stream');
      const behind = position.replace(/\d{4}(?=-)/, '9999');
      expect(behind > position).toBe(true);
      expect(await opened.log.holds(behind)).toBe(false);
    });

    it('says of each event how many others of its append follow', async () => {
      const name = freshStream();
      const { log } = opened;
      await log.append(name, [event()], 'no-stream');
      await log.append(name, [event(), event(), event()], 0);
      const found = await log.readStream(name);
      expect(found.map(followersOf)).toEqual([0, 2, 1, 0]);
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
