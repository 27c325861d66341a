import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { StateLoader } from '../../../event-sourcing/decisions/state-loader.js';
import type { EventLog, RecordedEvent } from '../../../event-sourcing/event-log/event-log.js';
import type { EventRegistry } from '../../../event-sourcing/event-log/event-registry.js';
import { MANAGEMENT } from '../../../event-sourcing/ledger.js';
import { FairSemaphore } from '../../../event-sourcing/waiting/fair-semaphore.js';
import { always, type WhilePresent } from '../../../event-sourcing/waiting/presence.js';
import type { Budget } from '../../budgets/domain/budget.js';
import { endUser, type EndUserState } from '../../end-users/domain/end-user.js';

/** The data of an end user, who need not exist, that a verification needs. */
export interface KnownEndUser {
  /** Null for a user without one of their own. */
  readonly budget: Budget | null;
  readonly isRegistered: boolean;
}

/** Half of what memory has for users. The other half is for their spending. */
const MOST_END_USER_BYTES = 12 * 1024 * 1024;
/** The measured bytes in memory of an entry, with the name of its stream, and of a budget. */
const END_USER_BYTES = 200;
const BUDGET_BYTES = 90;
/** The maximum number of concurrent reads of end users, among whom accounts take turns. */
const READ_AT_ONCE = 16;

const UNREGISTERED: KnownEndUser = { budget: null, isRegistered: false };
const WITHOUT_BUDGET: KnownEndUser = { budget: null, isRegistered: true };

/**
 * The budgets of end users whom questions name, in memory, or else from the log. A client may
 * invent users, so they have memory and reads of their own, which take nothing from keys.
 */
@Injectable()
export class EndUserMemory {
  readonly #known: LRUCache<string, KnownEndUser, string>;
  readonly #reads = new FairSemaphore(READ_AT_ONCE);

  constructor(
    @Inject(MANAGEMENT.log) log: EventLog,
    @Inject(MANAGEMENT.registry) registry: EventRegistry,
  ) {
    const loader = new StateLoader(log, registry, READ_AT_ONCE);
    this.#known = new LRUCache({
      maxSize: MOST_END_USER_BYTES,
      sizeCalculation: ({ budget }) => END_USER_BYTES + (budget ? BUDGET_BYTES : 0),
      fetchMethod: async (stream, _, { context: accountId }) =>
        knownEndUser(await loader.replay(endUser, stream, accountId)),
      ignoreFetchAbort: true,
    });
  }

  get(stream: string): KnownEndUser | undefined {
    return this.#known.get(stream);
  }

  /** Whether a user has no budget of their own; undefined if they are not in memory. */
  isWithoutBudget(stream: string): boolean | undefined {
    const known = this.#known.peek(stream);
    return known && known.budget === null;
  }

  /**
   * Reads an end user who is not in memory. Callers share a read, unless an event outdates it.
   * @param stream the name of the stream that the end user has, or would have.
   * @param whilePresent for a read that waits. Default: the caller does not leave.
   * @throws Unavailable when the log cannot be reached; Unreadable for an event of a newer build.
   */
  read(
    accountId: string,
    stream: string,
    whilePresent: WhilePresent = always,
  ): Promise<KnownEndUser> {
    const read = async (): Promise<KnownEndUser> => {
      for (;;) {
        const found = await this.#known.forceFetch(stream, { context: accountId });
        // An end user whom an event has outdated meanwhile is not in memory.
        if (this.#known.peek(stream) === found) return found;
      }
    };
    const readInTurn = async (): Promise<KnownEndUser> => this.get(stream) ?? (await read());
    return whilePresent((presence) => this.#reads.run(accountId, readInTurn, { presence }));
  }

  apply({ stream }: Pick<RecordedEvent, 'stream'>): void {
    this.#known.delete(stream);
  }

  forgetAll(): void {
    this.#known.clear();
  }
}

function knownEndUser(state: EndUserState): KnownEndUser {
  if (!state) return UNREGISTERED;
  return state.budget ? { budget: state.budget, isRegistered: true } : WITHOUT_BUDGET;
}
