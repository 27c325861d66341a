import { Inject, Injectable } from '@nestjs/common';
import { ReadModel } from '../../../event-sourcing/projections/read-model.js';
import type { ReadModels } from '../../../event-sourcing/projections/read-models.js';
import type { View } from '../../../event-sourcing/read-store/read-store.js';
import type { Position } from '../../../kernel/position.js';
import type { Read } from '../../../kernel/read.js';
import type { Subject } from '../../keys/domain/limit.js';
import type { UsageTotals, UsageOfSubjects } from '../../keys/published/usage-of-subjects.port.js';
import type { SubjectUsage } from '../domain/subject-usage.js';
import { usageIn, windowsAt } from '../domain/spent-toward-limit.js';
import { USAGE } from '../../../event-sourcing/ledger.js';
import {
  END_USERS,
  subjectUsage,
  type SubjectUsageCollections,
} from './subject-usage.projection.js';

/** The usage of a subject in the read models, none for one that was never used. */
export interface FoldedUsage {
  readonly usage: SubjectUsage | undefined;
  readonly checkpoint: Position;
}

@Injectable()
export class UsageDirectory implements UsageOfSubjects {
  readonly #model: ReadModel<SubjectUsageCollections>;

  constructor(@Inject(USAGE.models) models: ReadModels) {
    this.#model = new ReadModel(subjectUsage, models);
  }

  async totalsOf(
    accountId: string,
    subjects: readonly Subject[],
    now: Date,
  ): Promise<Read<ReadonlyMap<Subject, UsageTotals>>> {
    if (subjects.length === 0) return { found: new Map(), isLate: false };
    const { found, isLate } = await this.#model.read(
      accountId,
      (view) => view.getMany('subject_usage', subjects),
      { subject_usage: subjects },
    );
    const windows = windowsAt(now);
    const uses = [...found].map(
      ([subject, usage]) =>
        [subject, { ...usageIn(windows, usage), lastUsedAt: usage.last_used_at }] as const,
    );
    return { found: new Map(uses), isLate };
  }

  /** Returns how many end users, of all accounts, were ever reported, as far as they are folded. */
  async usersReported(): Promise<number> {
    const counted = await this.#model.readNow(
      null,
      (view) => view.get('subject_counts', END_USERS),
      { subject_counts: [END_USERS] },
    );
    return counted?.count ?? 0;
  }

  /** Returns the use of a subject up to a position, without a wait for what is not folded yet. */
  usageOf(accountId: string, subject: Subject): Promise<FoldedUsage> {
    const read = async (view: View<SubjectUsageCollections>): Promise<FoldedUsage> => ({
      usage: await view.get('subject_usage', subject),
      checkpoint: view.checkpoint,
    });
    return this.#model.readNow(accountId, read, { subject_usage: [subject] });
  }
}
