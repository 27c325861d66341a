import { randomUUID } from 'node:crypto';
import type {
  DecisionRunner,
  OwnEvent,
} from '../../../src/event-sourcing/decisions/decision-runner.js';
import type {
  EventLog,
  ExpectedRevision,
} from '../../../src/event-sourcing/event-log/event-log.js';
import { EventRegistry } from '../../../src/event-sourcing/event-log/event-registry.js';
import { SqliteEventLog } from '../../../src/event-sourcing/event-log/sqlite/sqlite-event-log.js';
import { Lag } from '../../../src/event-sourcing/projections/lag.js';
import { Progress } from '../../../src/event-sourcing/projections/progress.js';
import { UNKNOWN_STATE } from '../../../src/event-sourcing/projections/read-side-state.js';
import { decimalUsd } from '../../../src/kernel/usd.js';
import type { Limited } from '../../../src/features/keys/domain/limit.js';
import { SpentSoFar } from '../../../src/features/usage/spent-toward-limits/spent-so-far.js';
import type { LimitReached } from '../../../src/features/usage/domain/limit-reached.js';
import {
  addedUsage,
  type SubjectUsage,
  withUsage,
} from '../../../src/features/usage/domain/subject-usage.js';
import type { UsageRecord } from '../../../src/features/usage/domain/usage-record.js';
import {
  type Reported,
  type UsageEvent,
  usageEvents,
} from '../../../src/features/usage/domain/usage.events.js';
import { sumsIn } from '../../../src/features/usage/domain/usage-sums.js';
import { type Position, START } from '../../../src/kernel/position.js';
import { hashOf, recordOf, reportOf, reversalOf } from '../histories/usage.js';
import { metadataAt } from './metadata-at.js';

const NOON = '2026-03-04T12:00:00.000Z';
const KEY = {
  hash: hashOf('a'),
  limit: 100,
  limit_reset: null,
  include_byok_in_limit: false,
} satisfies Limited & { readonly hash: string };
const USD = 10n ** 9n;

/** A log of reports on key a, and read models that have folded as many of them as a test says. */
export class SpendingShelf {
  readonly registry = new EventRegistry(usageEvents);
  log = new SqliteEventLog(':memory:');
  /** The positions of the reports, and the use of the subject after each of them. */
  history: { readonly position: Position; readonly usage: SubjectUsage | undefined }[] = [
    { position: START, usage: undefined },
  ];
  /** What `history` and `of` are about. Default: key a. */
  subject = KEY.hash;
  /** The end user whom `spend` names. */
  user: string | null = null;
  /** How many reports the read models have folded. */
  folded = Infinity;
  reads = 0;
  /** Runs while the read models are read. */
  meanwhile: () => Promise<unknown> = () => Promise.resolve();
  /** Whether `meanwhile` happens after the state of the read models was read. */
  readsFirst = false;
  /** The checkpoint of the read models at the start. */
  beginsAt = START;
  progress = new Progress(() => undefined);
  /** The greatest age of answers. */
  maxStalenessMs = 0;
  now = NOON;
  /** What limits were reached, and whether a report was the cause. */
  readonly reached: (LimitReached & { readonly isReported: boolean })[] = [];
  /** Whose spending is no longer in memory. */
  readonly forgotten: string[] = [];
  /** Reports that documents were dropped. */
  tellOfLoss = (): void => undefined;
  /** Applies an event that this process appended. */
  applyOwn: Parameters<DecisionRunner['onAppended']>[0] = () => undefined;

  /** The reports that were not taken back. */
  readonly #reports: { readonly stream: string; readonly data: Reported }[] = [];

  /** The spending of all reports. */
  get total(): bigint {
    return BigInt(this.history.at(-1)?.usage?.totals.usage ?? '0') / USD;
  }

  get foldedTo(): { readonly position: Position; readonly usage: SubjectUsage | undefined } {
    const { history } = this;
    return (
      history[Math.min(this.folded, history.length - 1)] ?? { position: START, usage: undefined }
    );
  }

  report(...records: UsageRecord[]): Promise<OwnEvent> {
    const data = reportOf(records);
    const stream = `report-${randomUUID()}`;
    this.#reports.push({ stream, data });
    return this.#store(stream, { type: 'UsageReported', data }, 'no-stream');
  }

  /**
   * Takes the newest report back that was not taken back yet. Reports nothing when there is none.
   */
  takeBack(): Promise<OwnEvent> {
    const report = this.#reports.pop();
    if (!report) return this.spend(0n);
    const data = reversalOf(report.data);
    return this.#store(report.stream, { type: 'UsageReversed', data }, 0);
  }

  async #store(stream: string, event: UsageEvent, expected: ExpectedRevision): Promise<OwnEvent> {
    const stored = { id: randomUUID(), ...this.registry.encode(event), metadata: metadataAt(0) };
    const { position } = await this.log.append(stream, [stored], expected);
    const added = addedUsage(sumsIn(event)).find(({ subject }) => subject === this.subject);
    const before = this.history.at(-1)?.usage;
    this.history.push({ position, usage: added ? withUsage(before, added) : before });
    return { stream, position, ...event };
  }

  spend(amount: bigint, occurred_at = NOON, byok_cost = 0n): Promise<OwnEvent> {
    const amounts = { cost: amount * USD, byok_cost: byok_cost * USD };
    return this.report(recordOf({ ...amounts, occurred_at, user: this.user }));
  }

  /** Folds some more reports. */
  fold(reports: number): void {
    this.folded = Math.min(this.folded + reports, this.history.length - 1);
    this.progress.moveTo(this.foldedTo.position);
  }

  /** Begins to follow a log. @param maxStalenessMs how old answers may be, as on a log server. */
  spendingOver(over: EventLog = this.log, maxStalenessMs = 0): SpentSoFar {
    this.maxStalenessMs = maxStalenessMs;
    this.progress = new Progress(() => undefined);
    const read = (): Promise<never> => Promise.reject(new Error('nothing is parked'));
    const onLost = (listener: () => void): void => void (this.tellOfLoss = listener);
    const models = { lag: new Lag(), onLost, progress: this.progress, state: UNKNOWN_STATE, read };
    const ledger = {
      ...{ log: over, registry: this.registry },
      runner: { onAppended: (listener: typeof this.applyOwn) => void (this.applyOwn = listener) },
      models: { ...models, wait: { useOwnEnd: () => undefined } },
      maintenance: { servedCheckpoint: () => Promise.resolve(this.beginsAt) },
    };
    const directory = {
      usageOf: async () => {
        this.reads += 1;
        const before = this.foldedTo;
        await this.meanwhile();
        const { usage, position } = this.readsFirst ? before : this.foldedTo;
        return { usage, checkpoint: position };
      },
    };
    const clock = { now: () => new Date(this.now) };
    const notices = {
      add: (reached: LimitReached, isReported: boolean) =>
        void this.reached.push({ ...reached, isReported }),
      forget: (_: string, subject: string) => void this.forgotten.push(subject),
    };
    return new SpentSoFar(ledger, directory, clock, notices);
  }

  /**
   * Asks what the subject has spent. `changes` replace its fields.
   * @param user the tracking ID of the subject, if it is an end user; null if not registered.
   */
  async of(
    spending: SpentSoFar,
    changes: Partial<Limited & { readonly hash: string }> = {},
    now = NOON,
    user?: string | null,
  ): Promise<string> {
    const { hash, ...limited } = { ...KEY, hash: this.subject, ...changes };
    const since = performance.now() - this.maxStalenessMs;
    const at = new Date(now);
    return decimalUsd(await spending.spentBy('account-1', hash, limited, at, since, user));
  }
}
