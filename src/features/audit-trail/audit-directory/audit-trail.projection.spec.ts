import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import {
  ACCOUNT,
  managementKeyCreated,
  memberAdded,
  openedAccount,
  workspaceCreated,
  workspaceMemberAdded,
} from '../../../../test/support/histories/accounts.js';
import {
  KEY_HASH,
  keyChanges,
  keyCreated,
  keyDeleted,
  stringChanges,
} from '../../../../test/support/histories/keys.js';
import { timeAt } from '../../../../test/support/specs/metadata-at.js';
import {
  type Documents,
  DocumentTable,
  recordedInOrder,
} from '../../../../test/support/specs/document-table.js';
import { management } from '../../../host/ledgers/management.js';
import { reservationEvents } from '../../keys/domain/key.events.js';
import { fold } from '../../../event-sourcing/projections/fold.js';
import type { Document } from '../../../event-sourcing/read-store/read-store.js';
import type { AuditedEvent } from '../domain/descriptions.js';
import { timeIn } from '../domain/order.js';
import { auditTrail, type EventDocument } from './audit-trail.projection.js';

const WORKSPACE = 'workspace-eu';
const user = 'Alice';
const organization_id = ACCOUNT;
const workspace_id = WORKSPACE;
const account_id = ACCOUNT;
const budget = { limit: 5, limit_reset: 'daily', include_byok_in_limit: true } as const;
const window = { limit_reset: null, window_start: null, resets_at: null };
const reached = { threshold: 80, limit: 10, spent: '8000000000', ...window };

/** At least one event of every type, in a possible order. */
const HISTORY: readonly AuditedEvent[] = [
  ...openedAccount(),
  memberAdded('bob'),
  managementKeyCreated('hash-2', 'bob'),
  workspaceCreated(WORKSPACE, ['eu-only']),
  workspaceMemberAdded(WORKSPACE, 'bob'),
  keyCreated({ external: { user: 'partner', lookup_key_hash: 'lookup-hash' } }),
  ...keyChanges,
  ...stringChanges,
  { type: 'ApiKeyLimitReached', data: { id: KEY_HASH, ...reached } },
  keyDeleted,
  { type: 'EndUserRegistered', data: { organization_id, user } },
  { type: 'EndUserDeactivated', data: { organization_id, user } },
  { type: 'EndUserReactivated', data: { organization_id, user } },
  { type: 'WorkspaceRenamed', data: { workspace_id, name: 'EU', previous_name: WORKSPACE } },
  { type: 'WorkspaceSlugChanged', data: { workspace_id, slug: 'eu', previous_slug: WORKSPACE } },
  {
    type: 'WorkspaceDescriptionChanged',
    data: { workspace_id, description: 'Europe', previous_description: null },
  },
  {
    type: 'WorkspaceRestricted',
    data: { workspace_id, restrictions: [], previous_restrictions: ['eu-only'] },
  },
  { type: 'WorkspaceMemberRemoved', data: { workspace_id, user_id: 'bob' } },
  { type: 'WorkspaceBudgetSet', data: { workspace_id, budget, previous_budget: null } },
  { type: 'WorkspaceBudgetRemoved', data: { workspace_id, previous_budget: budget } },
  { type: 'AccountEndUserBudgetSet', data: { account_id, budget, previous_budget: null } },
  { type: 'AccountEndUserBudgetRemoved', data: { account_id, previous_budget: budget } },
  {
    type: 'EndUserBudgetSet',
    data: { organization_id, user, budget, previous_budget: null },
  },
  { type: 'EndUserBudgetRemoved', data: { organization_id, user, previous_budget: budget } },
  { type: 'WorkspaceLimitReached', data: { id: workspace_id, ...reached } },
  { type: 'EndUserLimitReached', data: { id: user, ...reached } },
  { type: 'WorkspaceDeleted', data: { account_id: ACCOUNT, workspace_id } },
  { type: 'ManagementKeyRevoked', data: { hash: 'hash-2' } },
  { type: 'MemberRemoved', data: { account_id: ACCOUNT, user_id: 'bob' } },
];

/** Gives the documents after the events were folded one by one. */
async function folded(...history: readonly AuditedEvent[]): Promise<DocumentTable> {
  const table = new DocumentTable();
  for (const event of recordedInOrder(history)) {
    table.keep(await fold(auditTrail, [event], table));
  }
  return table;
}

function eventsIn(documents: Documents): EventDocument[] {
  return Object.entries(documents).flatMap(([key, document]) =>
    key.startsWith('audit_events/') ? [document as Document & EventDocument] : [],
  );
}

describe('the audit trail', () => {
  it('is shown here with every event that can be stored but reservations, which alone change nothing', () => {
    const shown = new Set<string>(HISTORY.map(({ type }) => type));
    const reservations = reservationEvents.map(({ type }) => type);
    const stored = management.events.map(({ type }) => type);
    expect([...shown, ...reservations].sort()).toEqual(stored.sort());
    expect(auditTrail.events.map(({ type }) => type).sort()).toEqual([...shown].sort());
  });

  it('has each event once, with its time, place, author and request', async () => {
    const { documents } = await folded(...HISTORY);
    const events = eventsIn(documents);
    expect(events.map(({ event }) => event)).toEqual(HISTORY.map((_, index) => `event-${index}`));
    const [opened] = recordedInOrder(HISTORY);
    const first = events[0];
    expect(first).toMatchObject({
      account: ACCOUNT,
      action: 'account.created',
      by: 'operator',
      actor: 'test',
      target: ACCOUNT,
      name: 'Acme',
    });
    expect(timeIn(first?.order ?? '')).toBe(timeAt(0));
    expect(first?.position).toBe(opened?.position);
  });

  it('is the same when it is folded in one batch', async () => {
    const { documents: once } = await folded(...HISTORY);
    const inOneBatch = new DocumentTable();
    inOneBatch.keep(await fold(auditTrail, recordedInOrder(HISTORY), inOneBatch));
    expect(inOneBatch.documents).toEqual(once);
  });

  it('gives every target the name that it had after the event', async () => {
    const events = eventsIn((await folded(...HISTORY)).documents);
    const named = events.map(({ action, target, name = null }) => [action, target, name]);
    expect(named).toEqual(
      expect.arrayContaining([
        ['key.created', KEY_HASH, 'first'],
        ['key.renamed', KEY_HASH, 'second'],
        ['key.disabled', KEY_HASH, 'second'],
        ['key.limit-reached', KEY_HASH, 'second'],
        ['key.deleted', KEY_HASH, 'second'],
        ['workspace.member-added', WORKSPACE, WORKSPACE],
        ['workspace.renamed', WORKSPACE, 'EU'],
        ['workspace.slug-changed', WORKSPACE, 'EU'],
        ['workspace.budget-set', WORKSPACE, 'EU'],
        ['workspace.limit-reached', WORKSPACE, 'EU'],
        ['workspace.deleted', WORKSPACE, 'EU'],
        ['account.end-user-budget-set', ACCOUNT, 'Acme'],
        ['management-key.created', 'hash-1', null],
        ['management-key.revoked', 'hash-2', 'deploy'],
        ['member.removed', 'bob', null],
        ['end-user.deactivated', 'Alice', null],
      ]),
    );
  });

  it('keeps of a registration its event and nothing else, and looks nothing up for it', async () => {
    const event: AuditedEvent = { type: 'EndUserRegistered', data: { organization_id, user } };
    const refused = (): Promise<never> => Promise.reject(new Error('it looked something up'));
    const events = recordedInOrder([event]);
    const changes = await fold(auditTrail, events, { getMany: refused });
    expect(changes.map(({ collection }) => collection)).toEqual(['audit_events']);
  });

  it('holds nothing of a lookup key', async () => {
    const { documents } = await folded(...HISTORY);
    expect(JSON.stringify(HISTORY)).toContain('lookup-hash');
    expect(JSON.stringify(documents)).not.toContain('lookup-hash');
  });

  it('has nothing of the secret that seals the cursors of an account', async () => {
    const causation_id = randomUUID();
    const history = recordedInOrder<AuditedEvent>(HISTORY).map((event) => ({
      ...event,
      metadata: { ...event.metadata, causation_id },
    }));
    const table = new DocumentTable();
    table.keep(await fold(auditTrail, history, table));
    expect(Object.keys(table.documents).length).toBeGreaterThan(HISTORY.length);
    expect(JSON.stringify(table.documents)).not.toContain(causation_id);
  });
});
