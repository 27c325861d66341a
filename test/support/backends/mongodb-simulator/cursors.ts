import { BSON, Long } from 'mongodb';
import type { Stored } from './queries.js';
import { Refusal } from './refusal.js';

/** The most bytes of documents in one answer. */
const MOST_BYTES = 16 * 1024 * 1024;

type Body = Readonly<Record<string, unknown>>;

/** Keeps the rest of each answer that comes in parts. */
export class Cursors {
  readonly #left = new Map<string, readonly Stored[]>();
  #last = 0;

  begin(ns: string, documents: readonly Stored[], most: number): Body {
    const { part, rest } = cut(documents, most);
    if (rest.length === 0) return { id: Long.ZERO, ns, firstBatch: part };
    const id = Long.fromNumber((this.#last += 1));
    this.#left.set(String(id), rest);
    return { id, ns, firstBatch: part };
  }

  /** @throws Refusal for a cursor that has ended. */
  more({ getMore, batchSize, collection, $db }: Body): Body {
    const id = Long.fromValue(getMore as number);
    const left = this.#left.get(String(id));
    this.#left.delete(String(id));
    if (!left) throw new Refusal(43, `cursor id ${String(id)} not found`);
    const { part, rest } = cut(left, Number(batchSize ?? Infinity));
    if (rest.length > 0) this.#left.set(String(id), rest);
    const ns = `${String($db)}.${String(collection)}`;
    return { cursor: { id: rest.length > 0 ? id : Long.ZERO, ns, nextBatch: part } };
  }
}

function cut(documents: readonly Stored[], most: number) {
  let bytes = 0;
  const end = documents.findIndex(
    (document, at) =>
      at > 0 && (at >= most || (bytes += BSON.calculateObjectSize(document)) > MOST_BYTES),
  );
  const length = end < 0 ? documents.length : end;
  return { part: documents.slice(0, length), rest: documents.slice(length) };
}
