import type { Command } from '../wire-messages.js';
import type { History } from './history.js';
import type { Filter, Stored } from './queries.js';
import { matches } from './queries.js';
import { Refusal } from './refusal.js';
import { numberOf, sessionOf, type Transactions } from './transactions.js';

type Body = Readonly<Record<string, unknown>>;

/** How long a write waits for a locked document if it does not say. */
const PATIENCE_MS = 120_000;
const DUPLICATE_KEY = 11_000;

/** Inserts, updates and deletes, within transactions and without. */
export class Writes {
  /** The server remembers the writes of a session, so that a repeated write takes effect once. */
  readonly #done = new Map<string, Body>();

  constructor(
    private readonly history: History,
    private readonly transactions: Transactions,
  ) {}

  async carryOut({ name, body }: Command, full: string): Promise<Body> {
    const isInTransaction = body.autocommit === false;
    // A command begins a transaction even if it changes nothing.
    if (isInTransaction) this.transactions.of(body);
    const statements = (body.documents ?? body.updates ?? body.deletes) as Body[];
    const ids = (body.stmtIds as number[] | undefined) ?? statements.map((_, index) => index);
    let [n, nModified] = [0, 0];
    const upserted: Body[] = [];
    const writeErrors: Body[] = [];
    for (const [index, statement] of statements.entries()) {
      const repeated =
        isInTransaction || body.txnNumber === undefined
          ? undefined
          : [sessionOf(body), numberOf(body), ids[index]].join();
      const done =
        (repeated === undefined ? undefined : this.#done.get(repeated)) ??
        (await this.#one(name, full, statement, body));
      if (repeated !== undefined) this.#done.set(repeated, done);
      if (done.code !== undefined) writeErrors.push({ index, ...done });
      if (done.upserted !== undefined) upserted.push({ index, _id: done.upserted });
      n += Number(done.n ?? 0);
      nModified += Number(done.nModified ?? 0);
    }
    if (writeErrors.length > 0 && isInTransaction) this.transactions.abort(body);
    return {
      n,
      nModified,
      ...(upserted.length > 0 && { upserted }),
      ...(writeErrors.length > 0 && { writeErrors }),
    };
  }

  async #one(name: string, full: string, statement: Body, body: Body): Promise<Body> {
    if (name === 'insert') {
      const id = String(statement._id);
      if (await this.#current(full, id, body)) {
        return { code: DUPLICATE_KEY, errmsg: `E11000 duplicate key ${id}` };
      }
      this.#put(full, id, statement, body);
      return { n: 1 };
    }
    const filter = statement.q as Filter;
    const isEach = statement.multi === true || statement.limit === 0;
    const found = await this.#matching(full, filter, isEach, body);
    const change = statement.u as Body | undefined;
    for (const document of found) {
      this.#put(
        full,
        String(document._id),
        name === 'delete' ? null : changed(document, change),
        body,
      );
    }
    if (found.length > 0 || statement.upsert !== true) {
      return { n: found.length, nModified: found.length };
    }
    const id = String(filter._id);
    this.#put(full, id, { ...change, _id: id }, body);
    return { n: 1, nModified: 0, upserted: id };
  }

  async #matching(full: string, filter: Filter, isEach: boolean, body: Body): Promise<Stored[]> {
    if (typeof filter._id === 'string') {
      const document = await this.#current(full, filter._id, body);
      return document && matches(document, filter) ? [document] : [];
    }
    if (body.autocommit === false) throw new Refusal(2, 'a transaction changes documents by id');
    const found = this.history.find(this.history.now, full, { filter });
    return isEach ? found : found.slice(0, 1);
  }

  /**
   * Gives the document that a write would change. A write outside a transaction waits until it is
   * not locked.
   */
  async #current(full: string, id: string, body: Body): Promise<Stored | undefined> {
    if (body.autocommit === false) {
      const transaction = this.transactions.of({ ...body, startTransaction: false });
      return this.transactions.seen(transaction, full, id);
    }
    await this.transactions.unlocked(full, id, Number(body.maxTimeMS ?? PATIENCE_MS));
    return this.history.at(this.history.now, full, id);
  }

  #put(full: string, id: string, document: Stored | null, body: Body): void {
    if (body.autocommit === false) this.transactions.write(body, full, id, document);
    else this.history.commit([[full, id, document]]);
  }
}

function changed(document: Stored, change: Body = {}): Stored {
  if ('$set' in change) return { ...document, ...(change.$set as Body) };
  return { ...change, _id: document._id };
}
