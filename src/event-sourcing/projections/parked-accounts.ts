import { Unreadable } from '../../kernel/errors.js';
import {
  type Change,
  type Collections,
  type Keys,
  type View,
  viewOf,
} from '../read-store/read-store.js';

const LOG_KEY = 'log';
const PAGE = 1_000;

/** An account whose later events a projection passes over, as one of its events is unreadable. */
export interface ParkedAccount extends Record<string, unknown> {
  readonly projection: string;
  readonly account_id: string;
  readonly event_id: string;
  readonly event_type: string;
  readonly position: string;
  readonly problem: string;
}

interface EngineCollections {
  readonly folded_log: { readonly identity: string };
  readonly parked_accounts: ParkedAccount;
}

/** The collections of the engine: which log was folded, and which accounts are parked. */
export const ENGINE_COLLECTIONS: Collections<EngineCollections> = {
  folded_log: { indexes: {} },
  parked_accounts: { indexes: {} },
};

/** Returns the identity of the log that was folded into a namespace; undefined before a write. */
export async function foldedLogIn(view: View): Promise<string | undefined> {
  return (await viewOf(view, ENGINE_COLLECTIONS).get('folded_log', LOG_KEY))?.identity;
}

export function logChange(identity: string): Change {
  return { collection: 'folded_log', key: LOG_KEY, document: { identity }, isNew: true };
}

export function parkedChange(parked: ParkedAccount): Change {
  const key = parkedName(parked.projection, parked.account_id);
  return { collection: 'parked_accounts', key, document: parked, isNew: true };
}

export function parkedName(projection: string, accountId: string): string {
  return `${projection}/${accountId}`;
}

/** Returns the keys of what `requireNotParked` gets. */
export function parkedKeys(projection: string, accountId: string): Keys {
  return { parked_accounts: [parkedName(projection, accountId)] };
}

/** @throws Unreadable when an account is parked: it lacks events (docs/operations/process.md). */
export async function requireNotParked(
  view: View,
  projection: string,
  accountId: string,
): Promise<void> {
  const key = parkedName(projection, accountId);
  const parked = await viewOf(view, ENGINE_COLLECTIONS).get('parked_accounts', key);
  if (!parked) return;
  throw new Unreadable(
    `read model ${projection} is stopped for account ${accountId}, because event ${parked.event_id} cannot be read: ` +
      'rebuild it with a release that can read the event',
  );
}

export async function allParkedIn(view: View): Promise<ParkedAccount[]> {
  const own = viewOf(view, ENGINE_COLLECTIONS);
  const parked: ParkedAccount[] = [];
  let after = '';
  for (;;) {
    const page = await own.scan('parked_accounts', after, PAGE);
    parked.push(...page.map(({ document }) => document));
    const last = page.at(-1);
    if (page.length < PAGE || !last) return parked;
    after = last.key;
  }
}
