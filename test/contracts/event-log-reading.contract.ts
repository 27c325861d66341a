import { describe, expect, it } from '@jest/globals';
import type {
  EventBatch,
  ExpectedRevision,
  RecordedEvent,
} from '../../src/event-sourcing/event-log/event-log.js';
import { event, freshStream, type OpenedLog } from './opened-log.js';
import { eventsUpToHead } from '../../src/event-sourcing/event-log/events-up-to-head.js';

/** The expected content of a stream with a number of events. */
function after(count: number): ExpectedRevision {
  return count === 0 ? 'no-stream' : count - 1;
}

async function collect(batches: AsyncIterable<EventBatch>): Promise<RecordedEvent[]> {
  const events: RecordedEvent[] = [];
  for await (const batch of batches) events.push(...batch.events);
  return events;
}

/** The guarantees of reading and following. */
export function readingContract(opened: () => OpenedLog): void {
  describe('reading', () => {
    it('gives back what was written, to the letter', async () => {
      const name = freshStream();
      const data = {
        text: 'ünïcødé 😀 "quoted" \u0000 \u2028',
        number: 0.1,
        large: 2 ** 53 - 1,
        nothing: null,
        nested: { list: [1, [2, { three: true }]] },
        __proto: 'x',
      };
      const stored = event(data, 'Faithful');
      const { position } = await opened().log.append(name, [stored], 'no-stream');
      expect((await opened().log.readStream(name)).events).toEqual([
        { ...stored, stream: name, revision: 0, position },
      ]);
    });

    it('finds nothing in a stream that does not exist', async () => {
      expect((await opened().log.readStream(freshStream())).events).toEqual([]);
    });

    it('begins at the revision asked for', async () => {
      const name = freshStream();
      const events = [event(), event(), event()];
      await opened().log.append(name, events, 'no-stream');
      expect(
        (await opened().log.readStream(name, 1)).events.map(({ revision }) => revision),
      ).toEqual([1, 2]);
      expect((await opened().log.readStream(name, 3)).events).toEqual([]);
    });

    it('gives large events a few at a time, from a stream as from the whole log', async () => {
      const before = await opened().log.head();
      const name = freshStream();
      const large = 'x'.repeat(1_020_000);
      const ids: string[] = [];
      for (let count = 0; count < 20; count++) {
        const one = event({ large });
        await opened().log.append(name, [one], after(count));
        ids.push(one.id);
      }
      const paged: string[] = [];
      for (let hasMore = true; hasMore;) {
        const { events, more } = await opened().log.readStream(name, paged.length);
        expect(events.length).toBeLessThan(20);
        paged.push(...events.map(({ id }) => id));
        hasMore = more;
      }
      expect(paged).toEqual(ids);
      const batches: number[] = [];
      for await (const { events } of eventsUpToHead(opened().log, before))
        batches.push(events.length);
      expect(Math.max(...batches)).toBeLessThan(20);
      expect(batches.reduce((sum, count) => sum + count)).toBe(20);
    });

    it('does not take one stream for another whose name it begins', async () => {
      const name = freshStream();
      await opened().log.append(name, [event()], 'no-stream');
      await opened().log.append(`${name}-more`, [event()], 'no-stream');
      expect((await opened().log.readStream(name)).events).toHaveLength(1);
    });

    it('all gives every stream in the order of writing, once', async () => {
      const before = await opened().log.head();
      const names = [freshStream(), freshStream()];
      const written: string[] = [];
      for (let turn = 0; turn < 10; turn++) {
        const one = event();
        await opened().log.append(names[turn % 2] ?? '', [one], after(Math.floor(turn / 2)));
        written.push(one.id);
      }
      const read = await collect(eventsUpToHead(opened().log, before));
      expect(read.map(({ id }) => id)).toEqual(written);
      expect(read.map(({ position }) => position)).toEqual(
        read.map(({ position }) => position).sort(),
      );
    });

    it('all resumes after any position without loss or repeat', async () => {
      const after = await opened().log.head();
      const events = Array.from({ length: 20 }, () => event());
      await opened().log.append(freshStream(), events, 'no-stream');
      const read = await collect(eventsUpToHead(opened().log, after));
      for (const [index, { position }] of read.entries()) {
        const rest = await collect(eventsUpToHead(opened().log, position));
        expect(rest.map(({ id }) => id)).toEqual(events.slice(index + 1).map(({ id }) => id));
      }
    });

    it('all crosses its own batches', async () => {
      const after = await opened().log.head();
      for (let turn = 0; turn < 5; turn++) {
        const many = Array.from({ length: 1_000 }, () => event());
        await opened().log.append(freshStream(), many, 'no-stream');
      }
      const read = await collect(eventsUpToHead(opened().log, after));
      expect(new Set(read.map(({ id }) => id)).size).toBe(5_000);
      expect(read).toHaveLength(5_000);
    });

    it('all ends, though an event is written behind each batch', async () => {
      const before = await opened().log.head();
      await opened().log.append(freshStream(), [event()], 'no-stream');
      let batches = 0;
      for await (const _ of eventsUpToHead(opened().log, before)) {
        batches += 1;
        if (batches === 20) break;
        await opened().log.append(freshStream(), [event()], 'no-stream');
      }
      expect(batches).toBeLessThan(20);
    });
  });

  describe('a batch', () => {
    /** Writes appends with the given numbers of events. */
    async function write(counts: readonly number[]): Promise<void> {
      for (const count of counts) {
        const events = Array.from({ length: count }, () => event());
        await opened().log.append(freshStream(), events, 'no-stream');
      }
    }

    /** Gives the streams whose append was cut by the end of a batch. */
    function cut(batches: readonly EventBatch[]): string[] {
      const streams = batches.map(({ events }) => new Set(events.map(({ stream }) => stream)));
      const seen = new Set<string>();
      const twice: string[] = [];
      for (const stream of streams.flatMap((names) => [...names])) {
        if (seen.has(stream)) twice.push(stream);
        seen.add(stream);
      }
      return twice;
    }

    it('never cuts an append', async () => {
      const before = await opened().log.head();
      await write([1, ...Array.from({ length: 9 }, () => 470)]);
      const batches: EventBatch[] = [];
      for await (const batch of eventsUpToHead(opened().log, before)) batches.push(batch);
      expect(batches.length).toBeGreaterThan(1);
      expect(cut(batches)).toEqual([]);
    });

    it('never cuts an append that has just been written', async () => {
      const abort = new AbortController();
      const batches: EventBatch[] = [];
      const before = await opened().log.head();
      const writing = write(Array.from({ length: 60 }, (_, index) => 1 + (index % 40)));
      for await (const batch of opened().log.follow(before, abort.signal)) {
        batches.push(batch);
        await writing;
        if (batch.reached === (await opened().log.head())) abort.abort();
      }
      expect(cut(batches)).toEqual([]);
    });
  });

  describe('following', () => {
    it('gives what is there, then what comes, in order', async () => {
      const after = await opened().log.head();
      const abort = new AbortController();
      const name = freshStream();
      const before = event();
      await opened().log.append(name, [before], 'no-stream');
      const seen: string[] = [];
      const later = Array.from({ length: 50 }, () => event());
      for await (const batch of opened().log.follow(after, abort.signal)) {
        seen.push(...batch.events.map(({ id }) => id));
        const next = later[seen.length - 1];
        if (next) await opened().log.append(name, [next], seen.length - 1);
        else abort.abort();
      }
      expect(seen).toEqual([before, ...later].map(({ id }) => id));
    });

    it('ends when it is told to while nothing comes', async () => {
      const abort = new AbortController();
      const following = collect(opened().log.follow(await opened().log.head(), abort.signal));
      abort.abort();
      expect(await following).toEqual([]);
    });
  });
}
