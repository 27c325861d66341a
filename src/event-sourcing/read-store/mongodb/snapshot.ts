import { type ClientSession, type Document, Long, type Timestamp } from 'mongodb';
import type { Connection } from './connection.js';

interface Cursor<Found> {
  readonly id: Long | number;
  readonly firstBatch?: readonly Found[];
  readonly nextBatch?: readonly Found[];
  readonly atClusterTime?: Timestamp;
}

interface Answer<Found> {
  readonly cursor: Cursor<Found>;
}

/**
 * Reads of one state: all of them see what the first of them saw. They are plain commands, because
 * a cursor of the driver (7.9.0) costs twice as much processor time.
 */
export class Snapshot {
  /** A cursor belongs to the session that began it. */
  readonly #session: ClientSession;
  #moment: Timestamp | undefined;

  constructor(private readonly connection: Connection) {
    this.#session = connection.startSession();
  }

  /** Ends the session, and so the cursors that are left open. The server may be away. */
  end(): void {
    this.#session.endSession().catch(() => undefined);
  }

  /** Sends a `find` or `aggregate`, and yields what it finds, answer by answer. */
  async *answers<Found>(command: Document): AsyncGenerator<readonly Found[], void> {
    const at = this.#moment && { atClusterTime: this.#moment };
    const readConcern = { level: 'snapshot', ...at };
    const asked = this.connection.ask<Answer<Found>>({ ...command, readConcern }, this.#session);
    let { cursor } = await asked;
    this.#moment ??= cursor.atClusterTime;
    const collection = String(command.find ?? command.aggregate);
    const batchSize: unknown = command.batchSize;
    let id = Long.fromValue(cursor.id);
    try {
      yield cursor.firstBatch ?? [];
      while (!id.isZero()) {
        const more = { getMore: id, collection, ...(batchSize !== undefined && { batchSize }) };
        cursor = (await this.#send<Answer<Found>>(more)).cursor;
        id = Long.fromValue(cursor.id);
        yield cursor.nextBatch ?? [];
      }
    } finally {
      if (!id.isZero()) {
        const ending = { killCursors: collection, cursors: [id] };
        this.#send(ending).catch(() => undefined);
      }
    }
  }

  /** Sends a `find` or `aggregate` whose documents fit in one answer. */
  async documents<Found>(command: Document): Promise<readonly Found[]> {
    const found: Found[] = [];
    for await (const some of this.answers<Found>(command)) found.push(...some);
    return found;
  }

  #send<Received>(command: Document): Promise<Received> {
    const { call, db } = this.connection;
    const session = this.#session;
    return call(async () => (await db.command(command, { session })) as Received);
  }
}
