import { type Collection, type Db, type OptionalUnlessRequiredId } from 'mongodb';
import { inTime } from '../../kernel/in-time.js';
import { START } from '../../kernel/position.js';
import type { ReadModelDefinition } from '../read-store.js';
import { NO_ATTEMPTS } from './attempts.js';
import { isDuplicateKey } from './duplicate-key.js';
import { type GenerationRecord, generationId, type ServingRecord } from './generation-record.js';
import { LONGEST_OPERATION_MS } from './guarded.js';
import { generationLeftTo, isLeft } from './left-generation.js';
import { signOfLife } from './turn.js';
import type { UnchangedSince } from './unchanged-since.js';

/** After how long without a sign of life a generation that does not serve is taken for left. */
export interface LeftAfter {
  /** One that its process was filling. */
  readonly fillMs: number;
  /** One that was replaced: it may be read on until then, far longer than one view lives. */
  readonly replacedMs: number;
}

export const LEFT_AFTER: LeftAfter = { fillMs: 30_000, replacedMs: 60_000 };

/** The number of the last generation of a read model; none is given twice, not even after its generation went. */
interface LastNumber {
  readonly _id: string;
  readonly last: number;
}

/** Knows which generation of each read model serves, and which are being filled. */
export class Catalog {
  readonly records: Collection<GenerationRecord>;
  readonly #serving: Collection<ServingRecord>;
  readonly #numbers: Collection<LastNumber>;
  /** What has caught up in this process, so that other versions of it are not needed any more. */
  readonly #caughtUp = new Set<string>();
  #indexed: Promise<unknown> | undefined;

  constructor(
    private readonly db: Db,
    private readonly owner: string,
    private readonly changes: UnchangedSince,
    private readonly leftAfter: LeftAfter,
  ) {
    this.records = db.collection('generations');
    this.#serving = db.collection('serving_generations');
    this.#numbers = db.collection('generation_numbers');
  }

  /** The number of the generation that serves a read model in its version, if there is one. */
  async serving(definition: ReadModelDefinition): Promise<number | undefined> {
    return (await this.#serving.findOne({ _id: servingId(definition) }))?.generation;
  }

  /**
   * The same; when there is none, one that was left by a version that this one continues, taken over; else begun. Those
   * of other versions stay.
   * @param isKeptAs whether a generation is kept as this version keeps it.
   */
  async servingOrNew(
    definition: ReadModelDefinition,
    isKeptAs: (id: string) => Promise<boolean>,
  ): Promise<number> {
    const { name, version } = definition;
    await this.#index();
    for (;;) {
      const serving = await this.serving(definition);
      if (serving !== undefined) {
        if (await this.#exists(name, serving)) return serving;
        // Whoever began it was stopped for so long that it was dropped meanwhile.
        await this.#serving.deleteOne({ _id: servingId(definition), generation: serving });
        continue;
      }
      if (await this.#continue(definition, isKeptAs)) continue;
      const generation = await this.#begin(definition, false);
      const _id = servingId(definition);
      if (await inserted(this.#serving, { _id, model: name, version, generation })) {
        return generation;
      }
      await this.records.deleteOne({ _id: generationId(name, generation) });
    }
  }

  /** The version that began a generation. */
  async begunBy({ name, version }: ReadModelDefinition, generation: number): Promise<number> {
    return (
      (await this.records.findOne({ _id: generationId(name, generation) }))?.version ?? version
    );
  }

  /** Begins a generation that does not serve. */
  async beginFilling(definition: ReadModelDefinition): Promise<number> {
    await this.#index();
    return this.#begin(definition, true);
  }

  async isFilling({ name }: ReadModelDefinition): Promise<boolean> {
    const fillings = await this.records.find({ model: name }).toArray();
    return fillings.some((record) => record.filling && !this.#isDead(record));
  }

  async showLife(id: string): Promise<void> {
    await this.records.updateOne({ _id: id }, { $inc: { beat: 1 } });
  }

  /** Lets a filled generation serve, unless a later one does already. @returns false when it is gone. */
  async promote(definition: ReadModelDefinition, generation: number): Promise<boolean> {
    const { name, version } = definition;
    const _id = servingId(definition);
    const filled = await this.records.updateOne(
      { _id: generationId(name, generation), filling: true },
      { $set: { filling: false, owner: null } },
    );
    if (filled.matchedCount === 0) return false;
    const moved = await this.#serving.updateOne(
      { _id, generation: { $lt: generation } },
      { $set: { generation } },
    );
    if (moved.matchedCount === 0) {
      await inserted(this.#serving, { _id, model: name, version, generation });
    }
    return true;
  }

  /**
   * Ends the service of other versions than the one that has caught up; of those that somebody still keeps up to date,
   * such as replicas that were not updated yet, when it is swept after the last of them is gone.
   */
  async endOthers(definition: ReadModelDefinition, signal?: AbortSignal): Promise<void> {
    this.#caughtUp.add(servingId(definition));
    await this.#endOthers(definition, (record) => isLeft(record, this.records, signal));
  }

  /** Drops generations that do not serve and that nobody fills or keeps up to date any more. */
  async sweep(definition: ReadModelDefinition): Promise<void> {
    const { name } = definition;
    if (this.#caughtUp.has(servingId(definition))) {
      await this.#endOthers(definition, async (record) => this.#isDead(record));
    }
    const records = await this.records.find({ model: name }).toArray();
    // Read after the records: what has just been promoted must not seem replaced.
    const serving = await this.#serving.find({ model: name }).toArray();
    const serves = new Set(serving.map(({ generation }) => generation));
    for (const record of records) {
      if (serves.has(record.generation) || !this.#isDead(record)) continue;
      const { _id, owner, beat, attempt, checkpoint, filling } = record;
      const dropped = await this.records.deleteOne({
        _id,
        owner,
        beat,
        attempt,
        checkpoint,
        filling,
      });
      if (dropped.deletedCount === 0) continue;
      this.changes.forget(lifeOf(_id));
      await this.#dropCollections(_id);
    }
  }

  /** Drops a generation of this process that has never served. */
  async discard(id: string): Promise<void> {
    const dropped = await this.records.deleteOne({ _id: id, filling: true });
    if (dropped.deletedCount > 0) await this.#dropCollections(id);
  }

  /** Drops collections of generations that are gone, which a process left that was stopped while it dropped them. */
  async dropLeftovers({ name }: ReadModelDefinition): Promise<void> {
    // Listed first: a generation that is begun meanwhile must not be taken for one that is gone.
    const present = await this.#collectionsOf(`${name}.`);
    const records = await this.records.find({ model: name }).toArray();
    const known = records.map(({ _id }) => `${_id}.`);
    for (const collection of present) {
      if (!known.some((prefix) => collection.startsWith(prefix))) {
        await this.db.dropCollection(collection);
      }
    }
  }

  /** @returns whether one was found to go on with. It is not the earlier version's any more then. */
  async #continue(
    definition: ReadModelDefinition,
    isKeptAs: (generation: string) => Promise<boolean>,
  ): Promise<boolean> {
    const left = await generationLeftTo(definition, this.#serving, this.records);
    if (!left || !(await isKeptAs(left.id))) return false;
    const { _id, generation } = left.serving;
    const { name, version } = definition;
    await inserted(this.#serving, { _id: servingId(definition), model: name, version, generation });
    await this.#serving.deleteOne({ _id, generation });
    return true;
  }

  async #begin({ name, version }: ReadModelDefinition, filling: boolean): Promise<number> {
    const generation = await this.#nextNumber(name);
    await this.records.insertOne({
      _id: generationId(name, generation),
      model: name,
      version,
      generation,
      checkpoint: START,
      ...NO_ATTEMPTS,
      filling,
      owner: filling ? this.owner : null,
      beat: 0,
    });
    return generation;
  }

  /**
   * Counted from the time in seconds: were it from 1, generations in an empty database that took the place of a lost
   * one would be called as those were, and be written to by whoever has those open still.
   */
  async #nextNumber(name: string): Promise<number> {
    await inserted(this.#numbers, { _id: name, last: Math.floor(Date.now() / 1_000) });
    const counted = await this.#numbers.findOneAndUpdate(
      { _id: name },
      { $inc: { last: 1 } },
      { returnDocument: 'after' },
    );
    if (!counted) throw new Error(`the generations of ${name} could not be counted`);
    return counted.last;
  }

  async #endOthers(
    { name, version }: ReadModelDefinition,
    isOver: (record: GenerationRecord) => Promise<boolean>,
  ): Promise<void> {
    const all = await this.#serving.find({ model: name }).toArray();
    for (const { _id, version: other, generation } of all) {
      if (other === version) continue;
      const record = await this.records.findOne({ _id: generationId(name, generation) });
      if (record && !(await isOver(record))) continue;
      await this.#serving.deleteOne({ _id, generation });
    }
  }

  async #exists(name: string, generation: number): Promise<boolean> {
    return (await this.records.findOne({ _id: generationId(name, generation) })) !== null;
  }

  #isDead(record: GenerationRecord): boolean {
    const unchangedMs = this.changes.look(lifeOf(record._id), signOfLife(record));
    const { fillMs, replacedMs } = this.leftAfter;
    return unchangedMs >= (record.filling ? fillMs : replacedMs);
  }

  async #dropCollections(id: string): Promise<void> {
    for (const collection of await this.#collectionsOf(`${id}.`)) {
      await this.db.dropCollection(collection);
    }
  }

  async #collectionsOf(prefix: string): Promise<string[]> {
    const all = await this.db.listCollections({}, { nameOnly: true }).toArray();
    return all.map(({ name }) => name).filter((name) => name.startsWith(prefix));
  }

  #index(): Promise<unknown> {
    const both = () =>
      Promise.all([
        this.records.createIndex({ model: 1 }),
        this.#serving.createIndex({ model: 1 }),
      ]);
    // All who come later wait for the same: it must come to an end.
    this.#indexed ??= inTime(both(), LONGEST_OPERATION_MS).catch((error: unknown) => {
      this.#indexed = undefined;
      throw error;
    });
    return this.#indexed;
  }
}

function servingId({ name, version }: ReadModelDefinition): string {
  return `${name}@${version}`;
}

function lifeOf(id: string): string {
  return `life ${id}`;
}

/** @returns false when there was one already. */
async function inserted<Kept extends { readonly _id: string }>(
  collection: Collection<Kept>,
  record: OptionalUnlessRequiredId<Kept>,
): Promise<boolean> {
  try {
    await collection.insertOne(record);
    return true;
  } catch (error) {
    if (isDuplicateKey(error)) return false;
    throw error;
  }
}
