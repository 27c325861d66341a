import { writeFolded } from '../../contracts/opened-store.js';
import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';
import { Unavailable } from '../../../src/kernel/errors.js';
import { MongoDbReadStore } from '../../../src/event-sourcing/read-store/mongodb/mongodb-read-store.js';
import {
  type Document,
  type Namespace,
  StaleCheckpointError,
  type View,
} from '../../../src/event-sourcing/read-store/read-store.js';
import { type Fate, FaultyGate } from '../backends/faulty-gate.js';
import type { Command } from '../backends/wire-messages.js';
import {
  ACCOUNTS,
  collections,
  COUNTERS,
  type Event,
  foldThrough,
  ITEMS,
  nameOf,
  positionOf,
  Random,
  randomLog,
  type State,
  statesOf,
} from './random-things.js';

const NAME = 'things.00000000.g1';
const LONGEST_LOG = 24;
const LONGEST_BATCH = 5;
/** A history that takes longer makes no progress. */
const LONGEST_MS = 40_000;
/**
 * A read may be refused, for example when the server answers from a state before the namespace.
 * Repetitions succeed within this time.
 */
const REFUSED_FOR_MS = 5_000;
const FATES: readonly [Fate, ...Fate[]] = ['done', 'late', 'lost'];

/** A reader saw a state that no fold of the log gives. */
export class Violation extends Error {
  override readonly name = 'Violation';
}

/**
 * One history on one namespace: two writers without a lease, which crash and whose commands fail,
 * and slow readers. Every read must give the fold of the log up to the checkpoint of its view.
 */
export class RandomHistory {
  readonly #random: Random;
  readonly #log: readonly Event[];
  #states: readonly State[] = [];
  #reachedEnd = false;
  readonly #until = performance.now() + LONGEST_MS;

  constructor(
    seed: number,
    private readonly gate: FaultyGate,
  ) {
    this.#random = new Random(seed);
    this.#log = randomLog(this.#random, LONGEST_LOG / 2 + this.#random.below(LONGEST_LOG / 2));
    gate.fatesOf = (command, writes) => this.#fatesOf(command, writes);
  }

  get #isOver(): boolean {
    return this.#reachedEnd || performance.now() > this.#until;
  }

  /** @throws Violation */
  async run(): Promise<void> {
    this.#states = await statesOf(this.#log);
    const actors = [this.#writer(), this.#writer(), this.#reader(), this.#reader(), this.#mail()];
    try {
      await Promise.all(actors);
    } finally {
      this.#reachedEnd = true;
      await Promise.allSettled(actors);
    }
    if (performance.now() > this.#until) throw new Violation('no end was reached');
    this.gate.fatesOf = () => undefined;
    while (this.gate.lateWrites > 0) await this.gate.deliver(0);
    await this.#expectRight();
  }

  /** Writes batches until the end of the log. Each time the process may crash. */
  async #writer(): Promise<void> {
    while (!this.#isOver) {
      const store = new MongoDbReadStore(this.gate.uri);
      const lives = 1 + this.#random.below(30);
      const namespace = store.namespace(NAME, collections);
      try {
        for (let batch = 0; batch < lives; batch++) {
          // A crash interrupts a batch.
          const written = this.#write(namespace);
          if (batch + 1 < lives) await written;
          else await Promise.race([delay(this.#random.below(10)), written]);
        }
      } finally {
        await store.close();
      }
    }
  }

  async #write(namespace: Namespace): Promise<void> {
    try {
      const from = Number(await namespace.checkpoint());
      if (from >= this.#log.length) {
        this.#reachedEnd = true;
        return;
      }
      if (this.#random.chance(0.2)) await delay(this.#random.below(50));
      const to = Math.min(this.#log.length, from + 1 + this.#random.below(LONGEST_BATCH));
      let wrong: string | undefined;
      await writeFolded(namespace, positionOf(from), positionOf(to), async (view) => {
        const checked: Pick<View, 'get'> = {
          get: async (collection, key) => {
            // A process that was stopped for a while may find other writers ahead.
            if (this.#random.chance(0.05)) await delay(this.#random.below(400));
            const found = await view.get(collection, key);
            wrong ??= this.#wrong(from, collection, key, found);
            return found;
          },
        };
        return foldThrough(checked, this.#log, from, to);
      });
      if (wrong !== undefined) throw new Violation(`committed ${to}, folded from ${wrong}`);
    } catch (error) {
      if (!(error instanceof StaleCheckpointError || error instanceof Unavailable)) throw error;
      // No lease keeps the writers apart, so a refused writer waits for a while.
      await delay(this.#random.below(200));
    }
  }

  async #reader(): Promise<void> {
    const store = new MongoDbReadStore(this.gate.uri);
    const namespace = store.namespace(NAME, collections);
    try {
      while (!this.#isOver) await this.#read(namespace);
    } finally {
      await store.close();
    }
  }

  async #read(namespace: Namespace): Promise<void> {
    try {
      const wrong = await namespace.read(async (view) => {
        let fault: string | undefined;
        for (let looks = this.#random.below(6); looks > 0; looks--) {
          await delay(this.#random.chance(0.3) ? this.#random.below(60) : 0);
          fault ??= await this.#look(view);
        }
        return fault;
      });
      if (wrong !== undefined) throw new Violation(`read ${wrong}`);
    } catch (error) {
      if (!(error instanceof Unavailable)) throw error;
    }
  }

  /** @returns the fault of one read; undefined without a fault. */
  async #look(view: View): Promise<string | undefined> {
    const at = Number(view.checkpoint);
    if (this.#random.chance(0.5)) {
      const isItem = this.#random.chance(0.5);
      const collection = isItem ? 'items' : 'counters';
      const key = isItem ? this.#random.pick(ITEMS) : this.#random.pick(COUNTERS);
      return this.#wrong(at, collection, key, await view.get(collection, key));
    }
    const account = this.#random.pick(ACCOUNTS);
    const range = { index: 'by_account', equals: { account }, limit: 9 };
    const { documents } = await view.range('items', range);
    const all = [...(this.#states[at] ?? new Map<string, Document>()).values()];
    const right = all
      .filter((document) => document.account === account)
      .sort((a, b) => Number(a.ordinal) - Number(b.ordinal));
    return difference(`account ${account} at ${at}`, documents, right);
  }

  #wrong(at: number, collection: string, key: string, found: unknown): string | undefined {
    const name = nameOf(collection, key);
    return difference(`${name} at ${at}`, found, this.#states[at]?.get(name));
  }

  /** Delivers delayed writes from time to time. */
  async #mail(): Promise<void> {
    while (!this.#isOver) {
      await delay(this.#random.below(40));
      const { lateWrites } = this.gate;
      if (lateWrites > 0 && this.#random.chance(0.15)) {
        await this.gate.deliver(this.#random.below(lateWrites));
      }
      await nextTurn();
    }
  }

  #fatesOf({ name, collection }: Command, writes: number): Fate[] | undefined {
    const isWrite = name === 'insert' || name === 'update';
    if (!isWrite || collection === undefined || !this.#random.chance(0.08)) return undefined;
    return Array.from({ length: writes }, () => this.#random.pick(FATES));
  }

  /** A new process must see the fold of the log, and must be able to write the next batch. */
  async #expectRight(): Promise<void> {
    const store = new MongoDbReadStore(this.gate.uri);
    try {
      const namespace = store.namespace(NAME, collections);
      await this.#expectWhole(namespace);
      while (Number(await namespace.checkpoint()) < this.#log.length) await this.#write(namespace);
      await this.#expectWhole(namespace);
    } finally {
      await store.close();
    }
  }

  async #expectWhole(namespace: Namespace): Promise<void> {
    const { at, seen } = await this.#everything(namespace);
    const right = [...(this.#states[at] ?? [])];
    const byName = (a: [string, Document], b: [string, Document]): number => (a[0] < b[0] ? -1 : 1);
    const wrong = difference(`everything at ${at}`, seen.sort(byName), right.sort(byName));
    if (wrong !== undefined) throw new Violation(`read ${wrong}`);
  }

  /**
   * Reads all documents, and repeats a refused read. @throws Unavailable when reads are refused for
   * too long.
   */
  async #everything(namespace: Namespace): Promise<{ at: number; seen: [string, Document][] }> {
    const until = performance.now() + REFUSED_FOR_MS;
    for (;;) {
      try {
        return await this.#readEverything(namespace);
      } catch (error) {
        if (!(error instanceof Unavailable) || performance.now() > until) throw error;
        await nextTurn();
      }
    }
  }

  async #readEverything(namespace: Namespace): Promise<{ at: number; seen: [string, Document][] }> {
    return namespace.read(async (view) => {
      const found: [string, Document][] = [];
      for (const collection of Object.keys(collections)) {
        const rows = await view.scan(collection, '', 100);
        found.push(
          ...rows.map(
            ({ key, document }) => [nameOf(collection, key), document] as [string, Document],
          ),
        );
      }
      return { at: Number(view.checkpoint), seen: found };
    });
  }
}

function difference(what: string, found: unknown, right: unknown): string | undefined {
  const [a, b] = [JSON.stringify(found), JSON.stringify(right)];
  return a === b ? undefined : `${what}: ${a}; right: ${b}`;
}
