import { Inject, Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { HttpRefusal } from '../../edge/http/answers/http-refusal.js';
import { onceClosed } from '../../edge/http/server/once-closed.js';
import { StreamSlots } from '../../edge/rate-limits/stream-limit.interceptor.js';
import {
  type HeardPosition,
  HeardPositions,
} from '../../event-sourcing/waiting/heard-positions.js';
import { pause } from '../../event-sourcing/waiting/pause.js';
import { type Position, START } from '../../kernel/position.js';
import type { Read } from '../../kernel/read.js';
import { EventFeed, type FeedPage, type FeedQuestion } from './audit-directory/event-feed.js';

/** The most requests of an account that wait at once (docs/api.md 2.10). */
const MOST_OF_ACCOUNT = 16;
/** The least time between two reads of a request that waits. */
const READS_APART_MS = 250;
const RETRY_SOON = { 'Retry-After': '1' };

/** The injection token for how many requests of all accounts wait at once at most. */
export const MOST_WAITING = Symbol('MostWaiting');

/** The longest wait of a request, and the calls when it begins to wait and when it ends. */
export interface Patience {
  readonly ms: number;
  readonly response: Response;
  readonly begin: () => void;
  readonly end: () => Promise<unknown>;
}

/** The readers of the feed that wait for the next event (docs/api.md 11.6). */
@Injectable()
export class WaitingReaders {
  readonly #slots: StreamSlots;
  readonly #waiting = new Set<AbortController>();
  #isDismissed = false;

  constructor(
    private readonly feed: EventFeed,
    private readonly positions: HeardPositions,
    @Inject(MOST_WAITING) inAll: number,
  ) {
    this.#slots = new StreamSlots({ ofAccount: MOST_OF_ACCOUNT, inAll });
  }

  /** The number of requests that wait. */
  get count(): number {
    return this.#waiting.size;
  }

  /** Lets all who wait be answered at once, and all who come later: the process will stop. */
  dismiss(): void {
    this.#isDismissed = true;
    for (const reader of this.#waiting) reader.abort();
  }

  /**
   * Returns a page of the feed. While it would be empty, waits for an event.
   * @throws Refusal when too many requests wait.
   */
  async page(question: FeedQuestion, patience: Patience): Promise<Read<FeedPage>> {
    if (patience.ms === 0) return this.feed.page(question);
    // From here on no event is missed: one that nobody told of before is in the page.
    const heard = this.positions.listen(question.accountId);
    try {
      const read = await this.feed.page(question);
      if (read.isLate || isWorthAnAnswer(read.found)) return read;
      const after = read.found.end ?? question.after;
      return { found: await this.#next({ ...question, after }, heard, patience), isLate: false };
    } finally {
      heard.end();
    }
  }

  async #next(
    question: FeedQuestion,
    heard: HeardPosition,
    { ms, response, begin, end }: Patience,
  ): Promise<FeedPage> {
    const release = this.#slots.tryAcquire(question.accountId);
    if (!release) throw new HttpRefusal('too-many-streams', { headers: RETRY_SOON });
    const reader = new AbortController();
    const leave = (): void => reader.abort();
    onceClosed(response, leave);
    this.#waiting.add(reader);
    if (this.#isDismissed) leave();
    begin();
    try {
      const page = await this.#await(question, heard, performance.now() + ms, reader.signal);
      await end();
      return page;
    } finally {
      this.#waiting.delete(reader);
      response.off('close', leave);
      // An answer uses memory until it is sent.
      onceClosed(response, release);
    }
  }

  /** Reads again after each event of the account, once it is folded, until a page has one. */
  async #await(
    question: FeedQuestion,
    heard: HeardPosition,
    until: number,
    signal: AbortSignal,
  ): Promise<FeedPage> {
    let { after } = question;
    let examined: Position = START;
    const over = new Promise<false>((resolve) => {
      signal.addEventListener('abort', () => resolve(false), { once: true });
    });
    for (;;) {
      const left = until - performance.now();
      if (signal.aborted || left <= 0) return { records: [], next: null, end: after };
      const { position } = heard;
      if (position <= examined) {
        await heard.next(signal, left);
        continue;
      }
      if (!(await Promise.race([this.feed.folded(position, left), over]))) continue;
      const page = await this.feed.pageNow({ ...question, after });
      if (isWorthAnAnswer(page)) return page;
      after = page.end ?? after;
      examined = position;
      await pause(Math.min(READS_APART_MS, until - performance.now()), signal);
    }
  }
}

/** Whether a page has events, or ends before it has examined all there is. */
function isWorthAnAnswer({ records, next }: FeedPage): boolean {
  return records.length > 0 || next !== null;
}
