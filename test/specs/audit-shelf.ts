import { EventRegistry } from '../../src/event-log/event-registry.js';
import { SqliteEventLog } from '../../src/event-log/sqlite/sqlite-event-log.js';
import { AuditDirectory } from '../../src/audit-trail/audit-directory/audit-directory.js';
import { auditTrail } from '../../src/audit-trail/audit-directory/audit-trail.projection.js';
import type { EventFilter } from '../../src/audit-trail/audit-directory/event-filter.js';
import {
  type AuditedEvent,
  auditedEvents,
  descriptionOf,
} from '../../src/audit-trail/domain/descriptions.js';
import { targetTypeOf } from '../../src/audit-trail/domain/description.js';
import type { Recorded } from '../../src/kernel/event.js';
import type { Actor } from '../../src/kernel/metadata.js';
import { type Position, START } from '../../src/kernel/position.js';
import { foldBatch } from '../../src/projections/fold-batch.js';
import { ReadYourWrites } from '../../src/projections/read-your-writes.js';
import { SqliteReadStore } from '../../src/read-store/sqlite/sqlite-read-store.js';
import { CountingReadStore } from './counting-read-store.js';
import { metadataAt, timeAt } from './metadata-at.js';
import { projectionsHere } from './projections-here.js';

/** What happened, where, when and by whom. */
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
 * Events twice: in a plain list, which is right on sight, and in an audit directory over a real read store. What
 * happens is folded in at `settle`, in one batch.
 */
export class AuditShelf {
  readonly directory: AuditDirectory;
  readonly #log = new SqliteEventLog(':memory:');
  readonly #store = new CountingReadStore(new SqliteReadStore(':memory:'));
  readonly #pending: Recorded<AuditedEvent>[] = [];
  readonly #shelved: Shelved[] = [];
  #checkpoint: Position = START;

  constructor() {
    const registry = new EventRegistry(auditedEvents);
    const sources = { log: this.#log, registry, store: this.#store };
    const projections = projectionsHere([auditTrail], sources);
    this.directory = new AuditDirectory(this.#store, new ReadYourWrites(this.#log, projections, 0));
  }

  /** Ranges of indexes that were read so far. */
  get rangesRead(): number {
    return this.#store.rangesRead;
  }

  /** Documents that were read of indexes so far. */
  get documentsRead(): number {
    return this.#store.documentsRead;
  }

  happen(...deeds: readonly Deed[]): void {
    for (const deed of deeds) {
      const number = this.#shelved.length + 1;
      const id = `event-${number}`;
      const position = String(number).padStart(9, '0');
      this.#shelved.push({ ...deed, id, position });
      const metadata = { ...metadataAt(deed.hour, deed.account), actor: deed.actor };
      const place = { id, position };
      this.#pending.push({ ...deed.event, ...place, metadata });
    }
  }

  /** Folds in what happened. */
  async settle(): Promise<void> {
    const batch = this.#pending.splice(0);
    const reached = batch.at(-1)?.position;
    if (reached === undefined) return;
    const model = this.#store.readModel(auditTrail);
    await model.write(await foldBatch(auditTrail, batch, model), this.#checkpoint, reached);
    this.#checkpoint = reached;
  }

  /** The ids of what matches, newest first, as the list has it. */
  right(account: string, filter: EventFilter): string[] {
    return this.#shelved
      .filter((deed) => deed.account === account && isWanted(deed, filter))
      .sort((a, b) => b.hour - a.hour || (a.position < b.position ? 1 : -1))
      .map(({ id }) => id);
  }

  /** The ids of what matches, page by page. @param between happens before each further page. */
  async found(
    account: string,
    filter: EventFilter,
    limit: number,
    between: () => Promise<void> = () => Promise.resolve(),
  ): Promise<string[][]> {
    const pages: string[][] = [];
    let cursor: string | undefined;
    for (;;) {
      const page = await this.directory.page(account, { filter, limit, cursor });
      pages.push(page.events.map(({ id }) => id));
      if (page.nextCursor === null) return pages;
      cursor = page.nextCursor;
      await between();
    }
  }

  async close(): Promise<void> {
    await this.#store.close();
    await this.#log.close();
  }
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
