import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { DecisionRunner } from '../../event-sourcing/decisions/decision-runner.js';
import { CLOCK, type Clock } from '../../kernel/clock.js';
import type { Origin } from '../../kernel/metadata.js';
import { START } from '../../kernel/position.js';
import { reportEventData } from './domain/report-event.js';
import { checkAge, checkHashes, contentHash, type UsageRecord } from './domain/usage-record.js';
import {
  type AcceptedReport,
  requireSameReport,
  reportUsage,
  reverseUsage,
  usageReport,
  usageReportId,
} from './domain/accepted-once.js';
import { ReportAdmission } from './report-admission.js';
import { ReportTurns } from './report-turns.js';
import { KeyAttribution } from './key-attribution.js';
import { USAGE } from '../../event-sourcing/ledger.js';

export interface ReportAnswer {
  readonly report: AcceptedReport;
  /** False when the same report was accepted before. */
  readonly isNew: boolean;
}

/**
 * Accepts a report once, and gives what was accepted. Throws a Refusal for another report's id, for
 * records too old or ahead, and when reports come in faster than usage is counted.
 */
export class ReportUsage extends Command<ReportAnswer> {
  constructor(
    readonly accountId: string,
    /** A UUID in lower case. */
    readonly reportId: string,
    readonly records: readonly UsageRecord[],
    readonly origin: Origin,
    /** The time when the body of the report was there, by `performance.now()`. */
    readonly bodyAt: number,
  ) {
    super();
  }
}

export class ReverseUsage extends Command<AcceptedReport> {
  constructor(
    readonly accountId: string,
    /** A UUID in lower case. */
    readonly reportId: string,
    readonly origin: Origin,
  ) {
    super();
  }
}

type ReportObserver = (report: AcceptedReport) => void;

@CommandHandler(ReportUsage)
export class ReportUsageHandler implements ICommandHandler<ReportUsage> {
  #observer: ReportObserver = () => undefined;

  constructor(
    @Inject(USAGE.runner) private readonly runner: DecisionRunner,
    @Inject(ReportAdmission) private readonly admission: Pick<ReportAdmission, 'admit'>,
    private readonly turns: ReportTurns,
    private readonly keys: KeyAttribution,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  observe(observer: ReportObserver): void {
    this.#observer = observer;
  }

  async execute(command: ReportUsage): Promise<ReportAnswer> {
    const { accountId, reportId, records, origin, bodyAt } = command;
    const content_hash = await this.turns.run('hash', accountId, contentHash(records));
    const at = this.clock.now();
    const { state, position } = await this.runner.run({
      aggregate: usageReport,
      id: usageReportId(accountId, reportId),
      accountId,
      origin,
      at,
      decide: async (before) => {
        // A known report is answered from what was stored, also when its records are too old now.
        if (requireSameReport(before, content_hash)) return [];
        checkAge(records, at);
        await this.admission.admit(accountId, bodyAt);
        const hashes = records.map(({ key_hash }) => key_hash);
        const keys = await this.keys.keysOf(accountId, hashes, origin.hasLeft);
        checkHashes(records, keys);
        const named = { account_id: accountId, report_id: reportId, content_hash };
        const report = { ...named, records, keys };
        // The event is encoded in the same turn as the last part of this.
        const event = reportEventData(report, at.toISOString());
        const data = await this.turns.run('sum', accountId, event);
        return reportUsage(data);
      },
    });
    if (!state) throw new Error('a report that was decided has a state');
    const isNew = position !== START;
    if (isNew) this.#observer(state);
    return { report: state, isNew };
  }
}

@CommandHandler(ReverseUsage)
export class ReverseUsageHandler implements ICommandHandler<ReverseUsage> {
  constructor(@Inject(USAGE.runner) private readonly runner: DecisionRunner) {}

  async execute({ accountId, reportId, origin }: ReverseUsage): Promise<AcceptedReport> {
    const { state } = await this.runner.run({
      aggregate: usageReport,
      id: usageReportId(accountId, reportId),
      accountId,
      origin,
      decide: reverseUsage,
    });
    if (!state) throw new Error('a report that was reversed has a state');
    return state;
  }
}
