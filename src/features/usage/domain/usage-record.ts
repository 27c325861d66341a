import { createHash } from 'node:crypto';
import { DAY_MS } from '../../../kernel/day.js';
import { type InParts, PART } from './in-parts.js';
import { Refusal } from '../../../kernel/errors.js';
import { isTailOfKeyString } from '../../../kernel/key-string.js';
import { type Amounts, plus } from './amounts.js';
import type { NanoUsd } from '../../../kernel/usd.js';

/** One record of a report: what one use, or several uses, of a key cost. */
export interface UsageRecord {
  readonly key_hash: string;
  readonly cost: NanoUsd;
  readonly byok_cost: NanoUsd;
  readonly requests: number;
  /** ISO 8601 UTC with milliseconds. Null is the time when the report is first accepted. */
  readonly occurred_at: string | null;
  /** The tracking string of the end user who caused the use; null when none was named. */
  readonly user: string | null;
}

export function amountsOf({ cost, byok_cost, requests }: UsageRecord): Amounts {
  return { usage: cost, byok_usage: byok_cost, requests: BigInt(requests) };
}

export function sumOfRecords(records: readonly UsageRecord[]): Amounts {
  return records.map(amountsOf).reduce(plus);
}

/**
 * Returns the SHA-256 of a report's content in hex, by which two reports are the same. It is made
 * of the RFC 8785 form of the records, and is part of the storage contract.
 */
export function* contentHash(records: readonly UsageRecord[]): InParts<string> {
  const digest = createHash('sha256').update('[');
  for (let from = 0; from < records.length; from += PART) {
    if (from > 0) yield;
    const text = JSON.stringify(records.slice(from, from + PART).map(contentOf)).slice(1, -1);
    digest.update(from === 0 ? text : `,${text}`);
  }
  return digest.update(']').digest('hex');
}

function contentOf({
  key_hash,
  cost,
  byok_cost,
  requests,
  occurred_at,
  user,
}: UsageRecord): object {
  return {
    // RFC 8785 is JSON.stringify with fields in order of their names, without undefined ones.
    byok_cost: String(byok_cost),
    cost: String(cost),
    key_hash,
    occurred_at: occurred_at ?? undefined,
    requests,
    user: user ?? undefined,
  };
}

const MOST_AGE_MS = 35 * DAY_MS;
const MOST_AHEAD_MS = 5 * 60_000;
const AGE_RULE = 'must be at most 35 days back and 5 minutes ahead';

/**
 * Refuses records that are too old or lie ahead. A report that was accepted before is never refused
 * for its age, so this comes after the question whether the report is known.
 * @throws Refusal of every such record, with a code that tells a wrong clock from a wrong form.
 */
export function checkAge(records: readonly UsageRecord[], now: Date): void {
  const earliest = new Date(now.getTime() - MOST_AGE_MS).toISOString();
  const latest = new Date(now.getTime() + MOST_AHEAD_MS).toISOString();
  const issues = records.flatMap(({ occurred_at }, index) =>
    occurred_at === null || (occurred_at >= earliest && occurred_at <= latest)
      ? []
      : [{ path: `records.${index}.occurred_at`, message: AGE_RULE }],
  );
  if (issues.length > 0) throw new Refusal('occurred-at-out-of-range', { issues });
}

const HASH_RULE = 'must be the hash of a key string, and not the digits of a key string';

/**
 * Refuses records that name a key by a key string without its prefix, which must not be stored.
 * @param keys the hashes that are known: they are not looked at.
 * @throws Refusal of every such record, which does not repeat the digits.
 */
export function checkHashes(
  records: readonly UsageRecord[],
  keys: ReadonlyMap<string, unknown>,
): void {
  const issues = records.flatMap(({ key_hash }, index) =>
    keys.has(key_hash) || !isTailOfKeyString(key_hash)
      ? []
      : [{ path: `records.${index}.key_hash`, message: HASH_RULE }],
  );
  if (issues.length > 0) throw new Refusal('request-invalid', { issues });
}
