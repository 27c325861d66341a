import { randomUUID } from 'node:crypto';
import type { Db, MongoClient } from 'mongodb';
import { Unavailable } from '../../kernel/errors.js';
import { inTime } from '../../kernel/in-time.js';
import type { NextGeneration, ReadModel, ReadModelDefinition, ReadStore } from '../read-store.js';
import { Catalog, LEFT_AFTER, type LeftAfter } from './catalog.js';
import { createClient, databaseOf } from './connection.js';
import { countBreaks } from './connection-breaks.js';
import { Generation, isKeptAs } from './generation.js';
import { generationId } from './generation-record.js';
import { type Connected, guarded, LONGEST_OPERATION_MS } from './guarded.js';
import { watchHeartbeats } from './heartbeat-watch.js';
import { MongoDbFixedWindows } from './mongodb-fixed-windows.js';
import { MongoDbReadModel } from './mongodb-read-model.js';
import { UnchangedSince } from './unchanged-since.js';

/** Collections and indexes are made, and what was left is dropped. */
const LONGEST_OPENING_MS = 60_000;
const SHOW_LIFE_EVERY_MS = 1_000;
const LEFT_WITHIN_MS = 5_000;
const SWEEP_EVERY_MS = 5_000;
const SWEEP_WINDOWS_EVERY_MS = 60_000;

/** How soon what was left is dropped. */
export interface Sweeping extends LeftAfter {
  readonly everyMs: number;
}

const SWEEPING: Sweeping = { ...LEFT_AFTER, everyMs: SWEEP_EVERY_MS };

/**
 * Read models in a MongoDB database that several processes share. A generation is a collection for each of its
 * collections; a catalog tells which ones serve.
 */
export class MongoDbReadStore implements ReadStore {
  readonly windows: MongoDbFixedWindows;
  readonly #client: MongoClient;
  readonly #db: Db;
  /** Of this store, among all that have the database open. */
  readonly #owner = randomUUID();
  readonly #changes = new UnchangedSince();
  readonly #catalog: Catalog;
  readonly #models = new Map<string, MongoDbReadModel>();
  readonly #definitions = new Map<string, ReadModelDefinition>();
  readonly #fillings = new Set<string>();
  readonly #timers: NodeJS.Timeout[];
  readonly #endWatch: () => void;
  readonly #breaks: () => number;
  #closed = false;

  /** Connects when something is asked of it, and again whenever the server comes back. */
  constructor(uri: string, sweeping = SWEEPING) {
    this.#client = createClient(uri);
    this.#breaks = countBreaks(this.#client);
    this.#endWatch = watchHeartbeats(this.#client, () => this.#disconnect());
    this.#db = databaseOf(this.#client, uri);
    this.#catalog = new Catalog(this.#db, this.#owner, this.#changes, sweeping);
    this.windows = new MongoDbFixedWindows(this.#db, (work) => this.#connected(work));
    this.#timers = [
      this.#every(SHOW_LIFE_EVERY_MS, () => this.#showLife()),
      this.#every(sweeping.everyMs, () => this.#sweep()),
      this.#every(SWEEP_WINDOWS_EVERY_MS, () => this.windows.sweep(new Date())),
    ];
  }

  readModel(definition: ReadModelDefinition): ReadModel {
    let model = this.#models.get(definition.name);
    if (!model) {
      model = MongoDbReadModel.thatServes(
        {
          serving: () => this.#connected(() => this.#catalog.serving(definition)),
          open: () => this.#connected(() => this.#openServing(definition), LONGEST_OPENING_MS),
          endOthers: (signal) =>
            this.#connected(() => this.#catalog.endOthers(definition, signal), LONGEST_OPENING_MS),
        },
        this.#connected,
      );
      this.#models.set(definition.name, model);
      this.#definitions.set(definition.name, definition);
    }
    return model;
  }

  async fill(definition: ReadModelDefinition): Promise<NextGeneration> {
    const number = await this.#connected(() => this.#catalog.beginFilling(definition));
    const id = generationId(definition.name, number);
    this.#fillings.add(id);
    try {
      await this.#connected(() => this.#catalog.dropLeftovers(definition), LONGEST_OPENING_MS);
      const generation = await this.#openGeneration(definition, number);
      return {
        model: MongoDbReadModel.of(generation, this.#connected),
        serve: () => this.#connected(() => this.#promote(definition, number)),
        discard: () => this.#connected(() => this.#discard(id), LONGEST_OPENING_MS),
      };
    } catch (error) {
      // Else this process would show for ever that it lives.
      this.#fillings.delete(id);
      throw error;
    }
  }

  isFilling(definition: ReadModelDefinition): Promise<boolean> {
    return this.#connected(() => this.#catalog.isFilling(definition));
  }

  async ping(): Promise<void> {
    await this.#connected(() => this.#db.command({ ping: 1 }));
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const timer of this.#timers) clearInterval(timer);
    const leaving = [
      ...[...this.#fillings].map((id) => this.#discard(id)),
      ...[...this.#models.values()].map((model) => model.giveUpTurn()),
    ];
    // What cannot be left in order is swept by others.
    await inTime(Promise.allSettled(leaving), LEFT_WITHIN_MS).catch(() => undefined);
    this.#endWatch();
    await this.#client.close();
  }

  /** Left to itself, the driver never tries again when the server was not there at its first use. */
  readonly #connected: Connected = (work, withinMs = LONGEST_OPERATION_MS) =>
    guarded(async () => {
      if (this.#closed) throw new Unavailable('read store', 'it was closed');
      const done = this.#client.connect().then(() => work());
      return inTime(done, withinMs, () => {
        this.#disconnect();
        return new Unavailable('read store', `no answer within ${withinMs} ms`);
      });
    });

  /** Until something is asked again. Gives back what the driver will never be done with. */
  #disconnect(): void {
    this.#client.close().catch(() => undefined);
  }

  /** Each step by itself must not take long, but to drop what may be many documents. */
  async #openServing(definition: ReadModelDefinition): Promise<Generation> {
    const number = await this.#connected(() =>
      this.#catalog.servingOrNew(definition, (earlier) => isKeptAs(this.#db, earlier, definition)),
    );
    await this.#catalog.dropLeftovers(definition);
    return this.#openGeneration(definition, number);
  }

  async #openGeneration(definition: ReadModelDefinition, number: number): Promise<Generation> {
    const id = generationId(definition.name, number);
    const { records } = this.#catalog;
    const sharing = { owner: this.#owner, changes: this.#changes, breaks: this.#breaks };
    const version = await this.#connected(() => this.#catalog.begunBy(definition, number));
    const name = { id, number, version };
    const generation = new Generation(name, this.#db, records, definition, sharing);
    await this.#connected(() => generation.index());
    return generation;
  }

  async #promote(definition: ReadModelDefinition, number: number): Promise<void> {
    this.#fillings.delete(generationId(definition.name, number));
    if (!(await this.#catalog.promote(definition, number))) {
      throw new Error(`generation ${number} of ${definition.name} was removed meanwhile`);
    }
  }

  async #discard(id: string): Promise<void> {
    this.#fillings.delete(id);
    await this.#catalog.discard(id);
  }

  async #showLife(): Promise<void> {
    for (const id of this.#fillings) await this.#catalog.showLife(id);
  }

  async #sweep(): Promise<void> {
    for (const definition of this.#definitions.values()) await this.#catalog.sweep(definition);
  }

  /** A server that does not answer is met by whoever needs it, and reported there. */
  #every(intervalMs: number, work: () => Promise<void>): NodeJS.Timeout {
    let underWay = false;
    return setInterval(() => {
      if (underWay) return;
      underWay = true;
      inTime(work(), LONGEST_OPERATION_MS)
        .catch(() => undefined)
        .finally(() => (underWay = false));
    }, intervalMs).unref();
  }
}
