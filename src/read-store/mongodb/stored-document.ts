import type { Position } from '../../kernel/position.js';
import { type IndexValue, indexValueOf } from '../index-value.js';
import type { Document, KeptDocument } from '../read-store.js';
import { type Attempts, isCommitted } from './attempts.js';
import type { Fields } from './values.js';

/** A document as one attempt to write a batch left it. */
export interface DocumentVersion {
  /** JSON, which keeps every name, number and order as it was given. Null: removed. */
  readonly body: string | null;
  readonly position: Position;
  readonly attempt: number;
}

/** What is stored under a key: the newest version, and the one that was visible when it was written. */
export interface StoredDocument extends DocumentVersion {
  readonly _id: string;
  /** What the newest version says in the fields that have an index. */
  readonly fields: Fields;
  /** Null: there was none. */
  readonly previous: DocumentVersion | null;
}

/** The version that a reader sees; null when there is none. Undefined: it is not kept any more. */
export function visibleVersion(
  stored: StoredDocument,
  attempts: Attempts,
): DocumentVersion | null | undefined {
  if (isCommitted(attempts, stored.attempt)) return stored;
  const { previous } = stored;
  return !previous || isCommitted(attempts, previous.attempt) ? previous : undefined;
}

/** The document of a version; undefined when it is a removal, or there is none. */
export function keptDocument<Kept extends object = Document>(
  version: DocumentVersion | null,
): KeptDocument<Kept> | undefined {
  if (!version || version.body === null) return undefined;
  return { position: version.position, document: JSON.parse(version.body) as Kept };
}

/** What a document says in fields that have an index. */
export function fieldsOf(document: Document | null, indexed: readonly string[]): Fields {
  const fields: Record<string, IndexValue> = {};
  if (document) for (const field of indexed) fields[field] = indexValueOf(document[field]);
  return fields;
}
