import { Binary } from 'mongodb';
import type { History } from './history.js';
import type { Stored } from './queries.js';
import { Refusal, writeConflict } from './refusal.js';

/** How long a transaction may last. */
const LIFETIME_MS = 60_000;
/** The most bytes that a transaction can commit. */
const MOST_BYTES = 16 * 1024 * 1024;

type Body = Readonly<Record<string, unknown>>;

interface Transaction {
  readonly number: string;
  readonly startedAt: number;
  readonly writes: Map<string, readonly [collection: string, id: string, Stored | null]>;
  readonly expiry: NodeJS.Timeout;
  bytes: number;
}

/** The transactions of sessions, and the documents that they have locked. */
export class Transactions {
  readonly #open = new Map<string, Transaction>();
  /** The number of the last transaction that each session committed. */
  readonly #committed = new Map<string, string>();
  /** The number of the last transaction that each session began. */
  readonly #begun = new Map<string, bigint>();
  /** The session that has a document locked. */
  readonly #locks = new Map<string, string>();
  #unlocked: (() => void)[] = [];

  constructor(private readonly history: History) {}

  /**
   * Begins or goes on with the transaction of a command. @throws Refusal when the session has no
   * such transaction.
   */
  of(body: Body): Transaction {
    const [session, number] = [sessionOf(body), numberOf(body)];
    if (body.startTransaction === true) {
      if (BigInt(number) <= (this.#begun.get(session) ?? -1n)) {
        throw new Refusal(225, 'the session has begun a later transaction');
      }
      this.#begun.set(session, BigInt(number));
      this.#end(session);
      const expiry = setTimeout(() => this.#end(session), LIFETIME_MS).unref();
      const writes = new Map<string, readonly [string, string, Stored | null]>();
      const begun = { number, startedAt: this.history.now, writes, expiry, bytes: 0 };
      this.#open.set(session, begun);
    }
    const transaction = this.#open.get(session);
    if (transaction?.number !== number) throw new Refusal(251, 'the transaction has ended');
    return transaction;
  }

  /** Gives a document as the transaction sees it. */
  seen({ writes, startedAt }: Transaction, collection: string, id: string): Stored | undefined {
    const own = writes.get(placeOf(collection, id));
    return own ? (own[2] ?? undefined) : this.history.at(startedAt, collection, id);
  }

  /**
   * @throws Refusal when another transaction changes the document, or something has changed it
   * since the beginning.
   */
  write(body: Body, collection: string, id: string, document: Stored | null): void {
    const transaction = this.of({ ...body, startTransaction: false });
    const session = sessionOf(body);
    const place = placeOf(collection, id);
    const isLocked = (this.#locks.get(place) ?? session) !== session;
    if (isLocked || this.history.changedAt(collection, id) > transaction.startedAt) {
      this.#end(session);
      throw writeConflict();
    }
    this.#locks.set(place, session);
    transaction.writes.set(place, [collection, id, document]);
    transaction.bytes += document ? Buffer.byteLength(JSON.stringify(document)) : 0;
  }

  /** Commits. A commit that is sent again is answered as before. */
  commit(body: Body): void {
    const [session, number] = [sessionOf(body), numberOf(body)];
    if (this.#committed.get(session) === number) return;
    const { writes, bytes } = this.of(body);
    if (bytes > MOST_BYTES) {
      this.#end(session);
      throw writeConflict();
    }
    this.history.commit(writes.values());
    this.#committed.set(session, number);
    this.#end(session);
  }

  abort(body: Body): void {
    this.#end(sessionOf(body));
  }

  kill(sessions: readonly { readonly id: unknown }[]): void {
    for (const { id } of sessions) this.#end(nameOf(id));
  }

  /**
   * Ends the transactions that have written to a collection. A real server waits for their end
   * before it drops it.
   */
  endThoseOf(collection: string): void {
    for (const [session, { writes }] of this.#open) {
      if ([...writes.values()].some(([written]) => written === collection)) this.#end(session);
    }
  }

  /** Waits until no transaction has a document locked. @throws Refusal after `maxTimeMs`. */
  async unlocked(collection: string, id: string, maxTimeMs: number): Promise<void> {
    const until = performance.now() + maxTimeMs;
    while (this.#locks.has(placeOf(collection, id))) {
      const left = until - performance.now();
      if (left <= 0) throw new Refusal(50, 'operation exceeded time limit');
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, Math.min(left, LIFETIME_MS));
        this.#unlocked.push(() => {
          clearTimeout(timer);
          resolve();
        });
      });
    }
  }

  #end(session: string): void {
    clearTimeout(this.#open.get(session)?.expiry);
    this.#open.delete(session);
    for (const [place, holder] of this.#locks) if (holder === session) this.#locks.delete(place);
    for (const resolve of this.#unlocked.splice(0)) resolve();
  }
}

export function sessionOf({ lsid }: Body): string {
  return nameOf((lsid as { readonly id: unknown } | undefined)?.id);
}

function nameOf(session: unknown): string {
  return session instanceof Binary ? session.toString('hex') : '';
}

/**
 * Gives the number that the driver counts the transactions and the retried writes of a session by.
 */
export function numberOf({ txnNumber }: Body): string {
  return String(Number(txnNumber));
}

function placeOf(collection: string, id: string): string {
  return `${collection}\0${id}`;
}
