import type { EventMetadata } from '../../../src/kernel/metadata.js';

const FIRST_HOUR = Date.parse('2026-01-01T00:00:00.000Z');

/** Gives the ISO 8601 time of an hour, counted from 2026-01-01T00:00:00Z. */
export function timeAt(hour: number): string {
  return new Date(FIRST_HOUR + hour * 3_600_000).toISOString();
}

/** Gives the metadata of an event at an hour. */
export function metadataAt(hour: number, accountId = 'account-1'): EventMetadata {
  return {
    occurred_at: timeAt(hour),
    actor: { type: 'operator', id: 'test', user_id: null },
    account_id: accountId,
    request_id: null,
    correlation_id: '00000000-0000-4000-8000-0000000000aa',
    causation_id: '00000000-0000-4000-8000-0000000000bb',
  };
}
