import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { followersOf, UnheldPositionError } from '../../src/event-sourcing/event-log/event-log.js';
import { distanceTo, type Position, START } from '../../src/kernel/position.js';
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

    it('gives positions that say how far into the log they are', async () => {
      const first = await opened.log.append(freshStream(), [event()], 'no-stream');
      const last = await opened.log.append(freshStream(), [event(), event()], 'no-stream');
      expect(distanceTo(START)).toBe(0);
      expect(distanceTo(first.position)).toBeGreaterThan(0);
      expect(distanceTo(last.position)).toBeGreaterThan(distanceTo(first.position));
    });

    it('follows from the positions it gave, and from START, and from no others', async () => {
      const first = await opened.log.append(freshStream(), [event()], 'no-stream');
      const last = await opened.log.append(freshStream(), [event()], 'no-stream');
      const following = async (after: Position): Promise<unknown> => {
        const abort = new AbortController();
        const batches = opened.log.follow(after, abort.signal)[Symbol.asyncIterator]();
        const next = await batches.next().finally(() => abort.abort());
        await batches.return?.();
        return next.value;
      };
      for (const after of [START, first.position])
        expect(await following(after)).toMatchObject({ reached: expect.any(String) });
      const another = last.position.replace(/.$/, (end) => (end === '0' ? '1' : '0'));
      await expect(following(another)).rejects.toBeInstanceOf(UnheldPositionError);
      const behind = last.position.replace(/\d{4}(?=-)/, '9999');
      expect(behind > last.position).toBe(true);
      await expect(following(behind)).rejects.toBeInstanceOf(UnheldPositionError);
    });

    it('has no identity while it is empty of ours, and keeps the one it gets', async () => {
      const { log } = opened;
      const isEmpty = (await log.head()) === START;
      expect(await log.identity()).toEqual(
        isEmpty
          ? null
          : { id: expect.any(String), position: expect.any(String), stream: expect.any(String) },
      );
      const first = event();
      const stream = freshStream();
      const { position } = await log.append(stream, [first], 'no-stream');
      const identity = await log.identity();
      if (isEmpty) expect(identity).toEqual({ id: first.id, position, stream });
      await log.append(freshStream(), [event()], 'no-stream');
      expect(await log.identity()).toEqual(identity);
      await opened.reopen();
      expect(await opened.log.identity()).toEqual(identity);
    });

    it('says of each event how many others of its append follow', async () => {
      const name = freshStream();
      const { log } = opened;
      await log.append(name, [event()], 'no-stream');
      await log.append(name, [event(), event(), event()], 0);
      const found = (await log.readStream(name)).events;
      expect(found.map(followersOf)).toEqual([0, 2, 1, 0]);
    });

    it('still has everything after it was opened anew', async () => {
      const name = freshStream();
      const { position } = await opened.log.append(name, [event()], 'no-stream');
      const before = (await opened.log.readStream(name)).events;
      await opened.reopen();
      expect((await opened.log.readStream(name)).events).toEqual(before);
      expect(await opened.log.head()).toBe(position);
    });
  });
}
