import { SqliteEventLog } from '../../../src/event-sourcing/event-log/sqlite/sqlite-event-log.js';
import { AuditDirectory } from '../../../src/features/audit-trail/audit-directory/audit-directory.js';
import { EventFeed } from '../../../src/features/audit-trail/audit-directory/event-feed.js';
import { auditTrail } from '../../../src/features/audit-trail/audit-directory/audit-trail.projection.js';
import type { EventFilter } from '../../../src/features/audit-trail/audit-directory/event-filter.js';
import {
  type AuditedEvent,
  descriptionOf,
} from '../../../src/features/audit-trail/domain/descriptions.js';
import { targetTypeOf } from '../../../src/features/audit-trail/domain/audit-event.js';
import type { Recorded } from '../../../src/kernel/event.js';
import type { Actor } from '../../../src/kernel/metadata.js';
import { type Position, START } from '../../../src/kernel/position.js';
import { SqliteReadStore } from '../../../src/event-sourcing/read-store/sqlite/sqlite-read-store.js';
import { countingReadStore } from './counting-read-store.js';
import { FoldedByHand } from './folded-by-hand.js';
import { logWith } from './log-with.js';
import { metadataAt, timeAt } from './metadata-at.js';

/** An event, with its place, time and actor. */
export interface Deed {
  readonly event: AuditedEvent;
  readonly account: string;
  readonly hour: number;
  readonly actor: Actor;
}

interface Shelved extends Deed {
  readonly id: string;
  readonly position: Position;
}

/**
 * Events in two forms: a plain list, which is obviously right, and an audit directory over a real
 * read store. `settle` folds all new events in one batch.
 */
export class AuditShelf {
  readonly directory: AuditDirectory;
  readonly feed: EventFeed;
  /** The end of the log, which is further than the folded events if a test sets it. */
  head: Position = START;
  readonly #log = new SqliteEventLog(':memory:');
  readonly #counts = { ranges: 0, documents: 0 };
  readonly #store = countingReadStore(new SqliteReadStore(':memory:'), this.#counts);
  readonly #pending: Recorded<AuditedEvent>[] = [];
  readonly #shelved: Shelved[] = [];
  readonly #folded = new FoldedByHand(
    auditTrail,
    this.#store,
    logWith(this.#log, { head: () => Promise.resolve(this.head) }),
  );

  constructor() {
    this.directory = new AuditDirectory(this.#folded.models);
    this.feed = new EventFeed(this.#folded.models);
  }

  /** The number of index ranges read so far. */
  get rangesRead(): number {
    return this.#counts.ranges;
  }

  /** The number of documents read through indexes so far. */
  get documentsRead(): number {
    return this.#counts.documents;
  }

  happen(...deeds: readonly Deed[]): void {
    for (const deed of deeds) {
      const number = this.#shelved.length + 1;
      const id = `event-${number}`;
      const position = positionOf(number);
      this.#shelved.push({ ...deed, id, position });
      const metadata = { ...metadataAt(deed.hour, deed.account), actor: deed.actor };
      const place = { id, position };
      this.#pending.push({ ...deed.event, ...place, metadata });
    }
  }

  /** Folds the new events. */
  async settle(): Promise<void> {
    await this.#folded.fold(this.#pending.splice(0));
  }

  /** Gives the ids of the matching events in the order of the log, from the list. */
  rightInOrder(account: string, filter: EventFilter): string[] {
    return this.#shelved
      .filter((deed) => deed.account === account && isWanted(deed, filter))
      .map(({ id }) => id);
  }

  /** Gives the ids of the matching events, newest first, from the list. */
  right(account: string, filter: EventFilter): string[] {
    return this.#shelved
      .filter((deed) => deed.account === account && isWanted(deed, filter))
      .sort((a, b) => b.hour - a.hour || (a.position < b.position ? 1 : -1))
      .map(({ id }) => id);
  }

  /**
   * Gives the ids of the matching events, page by page. @param between runs before each further
   * page.
   */
  async found(
    account: string,
    filter: EventFilter,
    limit: number,
    between: () => Promise<void> = () => Promise.resolve(),
  ): Promise<string[][]> {
    const pages: string[][] = [];
    let after: string | undefined;
    for (;;) {
      const { found } = await this.directory.list(account, filter).page(limit, after);
      pages.push(found.records.map(({ id }) => id));
      if (found.next === null) return pages;
      after = found.next;
      await between();
    }
  }

  async close(): Promise<void> {
    await this.#store.close();
    await this.#log.close();
  }
}

/** Gives the position of the event with a number, counted from 1. */
export function positionOf(number: number): Position {
  return String(number).padStart(9, '0');
}

function isWanted({ event, hour, actor }: Deed, filter: EventFilter): boolean {
  const { actions, actor: by, target, from, to } = filter;
  const description = descriptionOf(event.type);
  const { action } = description;
  return (
    (actions?.includes(action) ?? true) &&
    (by === undefined || actor.id === by || actor.user_id === by) &&
    (target === undefined || targetTypeOf(action) === target.type) &&
    (target?.id === undefined || description.target(event.data) === target.id) &&
    (from === undefined || timeAt(hour) >= from) &&
    (to === undefined || timeAt(hour) < to)
  );
}
