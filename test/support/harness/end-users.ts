import type { EndUserRecord } from '../../../src/features/end-users/end-user.fields.js';
import { endUserId, endUserStream } from '../../../src/features/end-users/domain/end-user.js';
import type { EventLog } from '../../../src/event-sourcing/event-log/event-log.js';
import { MANAGEMENT } from '../../../src/event-sourcing/ledger.js';
import type { RunningApp, TestAccount } from './running-app.js';

export interface OneEndUser {
  readonly data: EndUserRecord;
}

export interface EndUserList {
  readonly data: EndUserRecord[];
  readonly total_count: number;
}

/** Registers end users one after another. @throws Error when a registration is refused. */
export async function register(
  { client }: Pick<TestAccount, 'client'>,
  ...users: readonly string[]
): Promise<EndUserRecord[]> {
  const records: EndUserRecord[] = [];
  for (const user of users) {
    const { status, text, body } = await client.post<OneEndUser>('/v1/end-users', { user });
    if (status !== 201) throw new Error(`the registration was answered ${status}: ${text}`);
    records.push(body.data);
  }
  return records;
}

/** Gives the path of one end user. */
export function pathOf(user: string): string {
  return `/v1/end-users/${encodeURIComponent(user)}`;
}

/** Gives the types of the events of an end user in order. */
export async function eventTypesOfEndUser(
  { app }: RunningApp,
  { accountId }: TestAccount,
  user: string,
): Promise<string[]> {
  const log = app.get<EventLog>(MANAGEMENT.log);
  const types: string[] = [];
  for (;;) {
    const page = (await log.readStream(endUserStream(endUserId(accountId, user)), types.length))
      .events;
    if (page.length === 0) return types;
    types.push(...page.map(({ type }) => type));
  }
}
