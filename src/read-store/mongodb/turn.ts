import type { Collection } from 'mongodb';
import type { LeftAttempt } from './attempts.js';
import type { GenerationRecord } from './generation-record.js';
import type { UnchangedSince } from './unchanged-since.js';

/** Whoever has the turn and shows no sign of life for so long loses it. */
export const TURN_ENDS_AFTER_MS = 5_000;

/** The turn to keep a generation up to date. Nothing goes wrong when two believe they have it. */
export class Turn {
  #mayBeOurs = false;

  constructor(
    private readonly id: string,
    private readonly records: Collection<GenerationRecord>,
    private readonly owner: string,
    private readonly changes: UnchangedSince,
    private readonly left: LeftAttempt,
  ) {}

  async take(): Promise<boolean> {
    const { id, records, owner } = this;
    this.#mayBeOurs = true;
    const kept = await records.updateOne({ _id: id, owner }, { $inc: { beat: 1 } });
    if (kept.matchedCount === 1) return true;
    const found = await records.findOne({ _id: id });
    if (!found) return false;
    if (found.owner !== null) {
      const unchangedMs = this.changes.look(`turn ${id}`, signOfLife(found));
      if (unchangedMs < TURN_ENDS_AFTER_MS) return false;
    }
    const as = { _id: id, owner: found.owner, beat: found.beat, attempt: found.attempt };
    const taken = await records.updateOne(as, { $set: { owner }, $inc: { beat: 1 } });
    if (taken.matchedCount !== 1) return false;
    this.left.attempt = found.attempt;
    return true;
  }

  async giveUp(): Promise<void> {
    if (!this.#mayBeOurs) return;
    const { id, records, owner } = this;
    await records.updateOne({ _id: id, owner }, { $set: { owner: null } });
    this.#mayBeOurs = false;
  }
}

/** Changes for as long as somebody keeps the generation up to date. */
export function signOfLife({ owner, beat, attempt, checkpoint }: GenerationRecord): string {
  return [owner, beat, attempt, checkpoint].join(' ');
}
