import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { eventually } from '../../../test/support/harness/eventually.js';
import { AWAY, HOME, keyCreated } from '../../../test/support/histories/keys.js';
import { hashOf } from '../../../test/support/histories/usage.js';
import { metadataAt } from '../../../test/support/specs/metadata-at.js';
import { DecisionRunner } from '../../event-sourcing/decisions/decision-runner.js';
import { EventRegistry } from '../../event-sourcing/event-log/event-registry.js';
import { SqliteEventLog } from '../../event-sourcing/event-log/sqlite/sqlite-event-log.js';
import { Denied, Refusal, Unavailable, Unreadable } from '../../kernel/errors.js';
import { type KeyEvent, keyEvents, reservationEvents } from '../keys/domain/key.events.js';
import { keyStream } from '../keys/domain/key.js';
import { KeyFacts } from '../keys/published/key-facts.js';
import type { AttributedKey, KeysByString } from '../keys/published/keys-by-string.port.js';
import { KeyAttribution } from './key-attribution.js';

const [a, b, c, d, e] = [hashOf('a'), hashOf('b'), hashOf('c'), hashOf('d'), hashOf('e')];

const inWorkspace = (hash: string, workspace_id: string): AttributedKey => ({
  hash,
  workspace_id,
  external_user: null,
});

/** Gives hashes that nobody has. */
const numbered = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => String(index).padStart(64, '0'));

/** A source of keys that has some keys, and what it was asked. */
class Source implements KeysByString {
  readonly asked: (readonly string[])[] = [];

  constructor(private readonly keys: ReadonlyMap<string, AttributedKey>) {}

  keysOf(_: string, hashes: readonly string[]): Promise<ReadonlyMap<string, AttributedKey>> {
    this.asked.push(hashes);
    return Promise.resolve(new Map([...this.keys].filter(([hash]) => hashes.includes(hash))));
  }
}

describe('the keys that a report names', () => {
  const registry = new EventRegistry([...keyEvents, ...reservationEvents]);
  let log: SqliteEventLog;
  let memory: Source;
  let directory: Source;
  let keys: KeyAttribution;

  beforeEach(() => {
    log = new SqliteEventLog(':memory:');
    memory = new Source(new Map([[a, inWorkspace(a, HOME)]]));
    directory = new Source(new Map([[b, inWorkspace(b, AWAY)]]));
    const runner = new DecisionRunner(log, registry, { now: () => new Date() });
    keys = new KeyAttribution(memory, directory, new KeyFacts(runner));
  });

  afterEach(() => log.close());

  async function stored(...events: readonly KeyEvent[]): Promise<void> {
    const hash = events[0]?.data.hash ?? '';
    const appended = events.map((event) => ({
      id: randomUUID(),
      ...registry.encode(event),
      metadata: metadataAt(0),
    }));
    await log.append(keyStream(hash), appended, 'no-stream');
  }

  const placesOf = (found: ReadonlyMap<string, AttributedKey>): string[][] =>
    [...found].map(([sent, { hash, workspace_id }]) => [sent, hash, workspace_id]).sort();

  it('are the keys of later strings too, whose streams name them', async () => {
    await stored(keyCreated({ hash: c }));
    const data = { string_hash: d, key_hash: c, account_id: 'account-1' };
    const reserved = { type: 'ApiKeyStringReserved', data } as const;
    const event = { id: randomUUID(), ...registry.encode(reserved), metadata: metadataAt(0) };
    await log.append(keyStream(d), [event], 'no-stream');
    expect(placesOf(await keys.keysOf('account-1', [d]))).toEqual([[d, c, HOME]]);
    expect(await keys.keysOf('account-2', [d])).toEqual(new Map());
  });

  it('are looked up in memory, then at once in the directory, then each once in its stream', async () => {
    await stored(keyCreated({ hash: c }));
    const reads = jest.spyOn(log, 'readStream');
    const found = await keys.keysOf('account-1', [a, b, e, c, b, a, e, c]);
    expect(placesOf(found)).toEqual([
      [a, a, HOME],
      [b, b, AWAY],
      [c, c, HOME],
    ]);
    expect(memory.asked).toEqual([[a, b, e, c]]);
    expect(directory.asked).toEqual([[b, e, c]]);
    expect(reads.mock.calls.map(([stream]) => stream)).toEqual([keyStream(e), keyStream(c)]);
  });

  it('are looked up no further than they need be', async () => {
    const reads = jest.spyOn(log, 'readStream');
    await keys.keysOf('account-1', [a, a]);
    expect(directory.asked).toEqual([]);
    await keys.keysOf('account-1', [a, b]);
    expect(reads).not.toHaveBeenCalled();
  });

  it.each([
    ['is away', () => Promise.reject(new Unavailable('read store', 'away'))],
    ['denies access', () => Promise.reject(new Denied('read store', 'denied', null))],
    ['has parked the account', () => Promise.reject(new Unreadable('parked'))],
    ['does not answer', () => new Promise<never>(() => undefined)],
  ])('are looked up in their streams while one source %s', async (_, keysOf) => {
    await stored(keyCreated({ hash: c }));
    for (const away of [memory, directory]) {
      jest.spyOn(away, 'keysOf').mockImplementationOnce(keysOf);
      expect(placesOf(await keys.keysOf('account-1', [c, e]))).toEqual([[c, c, HOME]]);
    }
  });

  it('are looked up in no further stream once a source has answered late', async () => {
    const many = numbered(20);
    let answer = (): void => undefined;
    const known = new Map(many.map((hash) => [hash, inWorkspace(hash, HOME)]));
    const late = new Promise<typeof known>((resolve) => (answer = () => resolve(known)));
    jest.spyOn(directory, 'keysOf').mockReturnValueOnce(late);
    const ends: (() => void)[] = [];
    jest.spyOn(log, 'readStream').mockImplementation(async () => {
      await new Promise<void>((end) => ends.push(end));
      return { events: [], more: false };
    });
    const found = keys.keysOf('account-1', many);
    await eventually('the first looks', () => ends.length === 4);
    answer();
    await late;
    for (const end of ends) end();
    expect((await found).size).toBe(20);
    expect(ends).toHaveLength(4);
  });

  it('are looked up in no further stream once the caller has left', async () => {
    const ends: (() => void)[] = [];
    jest.spyOn(log, 'readStream').mockImplementation(async () => {
      await new Promise<void>((end) => ends.push(end));
      return { events: [], more: false };
    });
    let hasLeft = false;
    const asked = [numbered(100), numbered(100)].map((hashes) =>
      keys.keysOf('account-1', hashes, () => hasLeft),
    );
    const refused = Promise.all(asked.map((found) => expect(found).rejects.toThrow(Refusal)));
    await eventually('the first looks', () => ends.length === 4);
    hasLeft = true;
    for (const end of ends) end();
    await refused;
    expect(ends).toHaveLength(4);
  });

  it('are not guessed at after a fault of the service itself', async () => {
    jest.spyOn(directory, 'keysOf').mockRejectedValue(new TypeError('a fault'));
    await expect(keys.keysOf('account-1', [c])).rejects.toThrow(TypeError);
  });

  it('are none of the account if they are unknown, deleted or of another account', async () => {
    await stored(keyCreated({ hash: c, account_id: 'account-2' }));
    await stored(keyCreated({ hash: d }), { type: 'ApiKeyDeleted', data: { hash: d } });
    expect(await keys.keysOf('account-1', [c, d, e])).toEqual(new Map());
  });

  it('are looked up in four streams at once, and accounts take turns', async () => {
    const underWay: { readonly hash: string; readonly end: () => void }[] = [];
    const begun: string[] = [];
    jest.spyOn(log, 'readStream').mockImplementation(async (stream) => {
      const hash = stream.slice('key-'.length);
      begun.push(hash);
      await new Promise<void>((end) => underWay.push({ hash, end }));
      return { events: [], more: false };
    });
    const many = numbered(20);
    const asked = [keys.keysOf('account-1', many), keys.keysOf('account-2', [e])];
    let most = 0;
    for (let ended = 0; ended < 21; ended += 1) {
      const left = Math.min(4, 21 - ended);
      await eventually('as many looks as may be', () => underWay.length >= left);
      most = Math.max(most, underWay.length);
      underWay.shift()?.end();
    }
    await Promise.all(asked);
    expect(most).toBe(4);
    expect(begun.indexOf(e)).toBeLessThanOrEqual(5);
  });

  it('leave turns of the event loop to other requests while the log answers at once', async () => {
    let turns = 0;
    let isDone = false;
    const count = (): void => {
      turns += 1;
      if (!isDone) setImmediate(count);
    };
    setImmediate(count);
    const many = numbered(1_000);
    await keys.keysOf('account-1', many);
    isDone = true;
    expect(turns).toBeGreaterThan(200);
  });
});
