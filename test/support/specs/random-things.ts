import { START } from '../../../src/kernel/position.js';
import type {
  Change,
  Collections,
  Document,
  View,
} from '../../../src/event-sourcing/read-store/read-store.js';

/** A generator of random numbers, the same for the same seed. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  below(count: number): number {
    return Math.floor(this.next() * count);
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  /** @param list a list with at least one value. */
  pick<One>(list: readonly [One, ...One[]]): One {
    return list[this.below(list.length)] ?? list[0];
  }
}

export const ITEMS = ['a', 'b', 'c'] as const;
export const ACCOUNTS = ['X', 'Y'] as const;
export const COUNTERS = ['total', 'missed', 'count X', 'count Y'] as const;

/**
 * Items move between accounts. One counter numbers the items, others count them, and one counts
 * events that concern no item.
 */
export const collections: Collections = {
  items: { indexes: { by_account: ['account', 'ordinal'] } },
  counters: { indexes: {} },
};

export interface Event {
  readonly type: 'create' | 'move' | 'touch' | 'remove';
  readonly key: string;
}

interface Item {
  readonly account: (typeof ACCOUNTS)[number];
  readonly ordinal: number;
  readonly seen: number;
}

export function randomLog(random: Random, length: number): Event[] {
  return Array.from({ length }, () => ({
    type: random.pick(['create', 'create', 'move', 'touch', 'touch', 'remove']),
    key: random.pick(ITEMS),
  }));
}

export function positionOf(event: number): string {
  return event === 0 ? START : String(event).padStart(4, '0');
}

/** Reads a document by its key; undefined when it does not exist. */
export type Get = (collection: string, key: string) => Promise<Document | undefined>;
type Put = (collection: string, key: string, document: Document | null) => void;

/** Folds the event with the number `at`, from 1. */
export async function evolve(get: Get, put: Put, { type, key }: Event, at: number): Promise<void> {
  const count = async (counter: string, by: number): Promise<number> => {
    const before = Number((await get('counters', counter))?.n ?? 0);
    const after = before + by;
    put('counters', counter, after === 0 ? null : { n: after });
    return before;
  };
  const item = (await get('items', key)) as Item | undefined;
  if (type === 'create') {
    if (item) return;
    const ordinal = await count('total', 1);
    const account = ACCOUNTS[ordinal % 2] ?? 'X';
    await count(`count ${account}`, 1);
    put('items', key, { account, ordinal, seen: at });
  } else if (!item) {
    await count('missed', 1);
  } else if (type === 'touch') {
    put('items', key, { ...item, seen: at });
  } else {
    await count(`count ${item.account}`, -1);
    const account = item.account === 'X' ? 'Y' : 'X';
    if (type === 'move') await count(`count ${account}`, 1);
    put('items', key, type === 'remove' ? null : { ...item, account, seen: at });
  }
}

/** Gives all documents, by collection and key. */
export type State = ReadonlyMap<string, Document>;

export function nameOf(collection: string, key: string): string {
  return `${collection} ${key}`;
}

/** Gives the state after each event of a log, beginning with the empty state. */
export async function statesOf(log: readonly Event[]): Promise<State[]> {
  const states: State[] = [new Map()];
  for (const [index, event] of log.entries()) {
    const state = new Map(states[index]);
    const put: Put = (collection, key, document) => {
      if (document === null) state.delete(nameOf(collection, key));
      else state.set(nameOf(collection, key), document);
    };
    await evolve(
      async (collection, key) => state.get(nameOf(collection, key)),
      put,
      event,
      index + 1,
    );
    states.push(state);
  }
  return states;
}

/**
 * Folds the events after the checkpoint of a view, up to the event `to`, over the documents of the
 * view.
 */
export async function foldThrough(
  view: Pick<View, 'get'>,
  log: readonly Event[],
  from: number,
  to: number,
): Promise<Change[]> {
  const read = new Map<string, Document | undefined>();
  const changed = new Map<string, Change>();
  const get: Get = async (collection, key) => {
    const name = nameOf(collection, key);
    const change = changed.get(name);
    if (change) return change.document ?? undefined;
    if (!read.has(name)) read.set(name, await view.get(collection, key));
    return read.get(name);
  };
  const put: Put = (collection, key, document) => {
    changed.set(nameOf(collection, key), { collection, key, document, isNew: false });
  };
  for (let at = from + 1; at <= to; at++) {
    const event = log[at - 1];
    if (event) await evolve(get, put, event, at);
  }
  return [...changed.values()];
}
