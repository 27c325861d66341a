import { describe, expect, it } from '@jest/globals';
import { ConflictError, type EventLog } from '../../src/event-sourcing/event-log/event-log.js';
import { START } from '../../src/kernel/position.js';
import { event, freshStream, type OpenedLog } from './opened-log.js';

async function idsIn(log: EventLog, stream: string): Promise<string[]> {
  return (await log.readStream(stream)).events.map(({ id }) => id);
}

/** The guarantees of appending. */
export function appendingContract(opened: () => OpenedLog): void {
  describe('appending', () => {
    it('creates a stream once, however many try', async () => {
      const name = freshStream();
      const attempts = Array.from({ length: 64 }, () =>
        opened().log.append(name, [event()], 'no-stream'),
      );
      const outcomes = await Promise.allSettled(attempts);
      const conflicts = outcomes.filter(
        (outcome) => outcome.status === 'rejected' && outcome.reason instanceof ConflictError,
      );
      expect(conflicts).toHaveLength(63);
      expect((await opened().log.readStream(name)).events).toHaveLength(1);
    });

    it('refuses a stale revision and writes nothing', async () => {
      const name = freshStream();
      const [first, second] = [event(), event()];
      await opened().log.append(name, [first], 'no-stream');
      await opened().log.append(name, [second], 0);
      await expect(opened().log.append(name, [event()], 0)).rejects.toBeInstanceOf(ConflictError);
      expect(await idsIn(opened().log, name)).toEqual([first.id, second.id]);
    });

    it('refuses a revision that the stream has not reached', async () => {
      const name = freshStream();
      await expect(opened().log.append(name, [event()], 0)).rejects.toBeInstanceOf(ConflictError);
      await opened().log.append(name, [event()], 'no-stream');
      await expect(opened().log.append(name, [event()], 1)).rejects.toBeInstanceOf(ConflictError);
    });

    it('loses none of 64 appenders that retry on one stream', async () => {
      const name = freshStream();
      await opened().log.append(name, [event()], 'no-stream');
      const ids = await Promise.all(
        Array.from({ length: 64 }, async () => {
          const mine = event();
          for (;;) {
            const last = (await opened().log.readStream(name)).events.length - 1;
            try {
              await opened().log.append(name, [mine], last);
              return mine.id;
            } catch (error) {
              if (!(error instanceof ConflictError)) throw error;
            }
          }
        }),
      );
      const stored = await idsIn(opened().log, name);
      expect(stored).toHaveLength(65);
      expect(new Set(stored.slice(1))).toEqual(new Set(ids));
    });

    it('tells streams apart whose names end, or begin, alike', async () => {
      const name = freshStream();
      for (const stream of [`a-${name}`, `b-${name}`, `${name}-a`, `${name}-b`]) {
        const first = event();
        await opened().log.append(stream, [first], 'no-stream');
        const second = event();
        await opened().log.append(stream, [second], 0);
        const found = (await opened().log.readStream(stream)).events;
        expect(found.map(({ id, revision }) => [id, revision])).toEqual([
          [first.id, 0],
          [second.id, 1],
        ]);
      }
    });

    it('is all or nothing', async () => {
      const name = freshStream();
      await opened().log.append(name, [event()], 'no-stream');
      const two = [event(), event()];
      await expect(opened().log.append(name, two, 'no-stream')).rejects.toBeInstanceOf(
        ConflictError,
      );
      expect((await opened().log.readStream(name)).events).toHaveLength(1);
      await opened().log.append(name, two, 0);
      expect((await idsIn(opened().log, name)).slice(1)).toEqual(two.map(({ id }) => id));
    });

    it('of what was stored before answers as before and writes nothing', async () => {
      const name = freshStream();
      const events = [event(), event()];
      const first = await opened().log.append(name, events, 'no-stream');
      await opened().log.append(name, [event()], 1);
      expect(await opened().log.append(name, events, 'no-stream')).toEqual(first);
      expect((await opened().log.readStream(name)).events).toHaveLength(3);
    });

    it('of what was stored before, later in a stream, answers as before', async () => {
      const name = freshStream();
      await opened().log.append(name, [event()], 'no-stream');
      const events = [event()];
      const first = await opened().log.append(name, events, 0);
      await opened().reopen();
      expect(await opened().log.append(name, events, 0)).toEqual(first);
      expect((await opened().log.readStream(name)).events).toHaveLength(2);
    });

    it('of what was stored only in part is a conflict', async () => {
      const name = freshStream();
      const known = event();
      await opened().log.append(name, [known], 'no-stream');
      const longer = opened().log.append(name, [known, event()], 'no-stream');
      await expect(longer).rejects.toBeInstanceOf(ConflictError);
      expect((await opened().log.readStream(name)).events).toHaveLength(1);
    });

    it('counts revisions from 0 and gives rising positions', async () => {
      const name = freshStream();
      const first = await opened().log.append(name, [event(), event()], 'no-stream');
      const second = await opened().log.append(name, [event()], 1);
      expect([first.revision, second.revision]).toEqual([1, 2]);
      expect(first.position > START).toBe(true);
      expect(second.position > first.position).toBe(true);
    });

    it('needs an event', async () => {
      await expect(opened().log.append(freshStream(), [], 'no-stream')).rejects.toThrow(
        'at least one event',
      );
    });
  });
}
