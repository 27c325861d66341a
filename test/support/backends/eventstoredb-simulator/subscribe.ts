import streams, { type ReadReq } from '@eventstore/db-client/generated/streams_pb.js';
import { randomUUID } from 'node:crypto';
import {
  allForwards,
  type Cursor,
  invalidSubscriptionPosition,
  requireReadable,
  streamForwards,
} from './cursor.js';
import type { Database } from './database.js';
import { type EventFilter, eventFilter } from './event-filter.js';
import { compare, type EventIndex } from './event-index.js';
import type { ReadCall } from './read-call.js';
import { positionOf, streamOf } from './requests.js';
import type { StoredEvent } from './stored-event.js';

/** The checkpoint of a search that began at the start and found nothing. No subscription can resume from it. */
const END = '18446744073709551615';
/** A live subscription with more new events than this becomes a subscription that catches up. */
const LIVE_BUFFER = 32;

/** Sends all events after a place, then each new event, until the client has enough. */
export async function subscribe(
  database: Database,
  options: ReadReq.Options,
  reading: ReadCall,
): Promise<never> {
  const { index } = database;
  const stream = options.getStream();
  const next =
    stream === undefined ? allCursor(index, options.getAll()) : streamCursor(index, stream);
  const subscription = new Subscription(reading, options);
  await subscription.confirm();
  for (;;) {
    const event = next();
    if (event !== undefined) await subscription.pass(event);
    else if (!subscription.isLive) await subscription.goLive(index.all.at(-1)?.position ?? 0);
    else await database.grown(reading.cancelled);
  }
}

class Subscription {
  isLive = false;
  private readonly filter: EventFilter | undefined;
  private readonly fromStart: boolean;
  private considered = 0;
  private sinceLive = 0;
  private found = false;

  constructor(
    private readonly reading: ReadCall,
    options: ReadReq.Options,
  ) {
    const filter = options.getFilter();
    this.filter = filter === undefined ? undefined : eventFilter(filter);
    this.fromStart = options.getAll()?.hasStart() === true;
  }

  async confirm(): Promise<void> {
    const confirmation = new streams.ReadResp.SubscriptionConfirmation();
    confirmation.setSubscriptionId(randomUUID());
    await this.send(new streams.ReadResp().setConfirmation(confirmation));
  }

  async pass(event: StoredEvent): Promise<void> {
    this.considered += 1;
    this.sinceLive += 1;
    if (this.sinceLive > LIVE_BUFFER) this.isLive = false;
    if (this.filter?.matches(event) !== false) {
      this.found = true;
      await this.reading.sendEvent(event.bytes);
    }
    if (this.filter === undefined || this.considered % this.filter.checkpointEvery !== 0) return;
    await this.checkpoint(String(event.position), this.isLive ? String(event.position) : '0');
  }

  async goLive(position: number): Promise<void> {
    if (this.filter !== undefined) {
      const inVain = !this.found && this.considered < this.filter.checkpointEvery;
      const reached = this.fromStart && inVain ? END : String(position);
      await this.checkpoint(reached, reached);
    }
    this.isLive = true;
    this.sinceLive = 0;
    await this.send(new streams.ReadResp().setCaughtUp(new streams.ReadResp.CaughtUp()));
  }

  private async checkpoint(commit: string, prepare: string): Promise<void> {
    const checkpoint = new streams.ReadResp.Checkpoint();
    checkpoint.setCommitPosition(commit).setPreparePosition(prepare);
    await this.send(new streams.ReadResp().setCheckpoint(checkpoint));
  }

  private async send(message: InstanceType<typeof streams.ReadResp>): Promise<void> {
    await this.reading.send(Buffer.from(message.serializeBinary()));
  }
}

/** The event at the given revision is not included, because a client resumes after it. */
function streamCursor(index: EventIndex, options: ReadReq.Options.StreamOptions): Cursor {
  const name = streamOf(options);
  if (options.hasEnd()) return streamForwards(index, name, index.stream(name).events.length);
  return streamForwards(index, name, options.hasRevision() ? Number(options.getRevision()) + 1 : 0);
}

/** The event at the given position is not included either. A position beyond the end skips all events before it. */
function allCursor(index: EventIndex, options: ReadReq.Options.AllOptions | undefined): Cursor {
  const asked = options?.getPosition();
  if (asked === undefined) {
    return allForwards(index, options?.hasEnd() === true ? index.all.length : 0);
  }
  if (asked.getCommitPosition() === END) return allForwards(index, index.all.length);
  const position = positionOf(asked);
  requireReadable(index, position, invalidSubscriptionPosition());
  const next = allForwards(index, index.placeOf(position));
  return () => {
    let event = next();
    while (event !== undefined && compare(event.position, position) <= 0) event = next();
    return event;
  };
}
