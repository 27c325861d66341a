import { type AccountEvent, accountEvents } from '../../accounts/domain/account.events.js';
import { type EndUserEvent, endUserEvents } from '../../end-users/domain/end-user.events.js';
import type { DomainEvent } from '../../../kernel/event.js';
import { type KeyEvent, keyEvents } from '../../keys/domain/key.events.js';
import {
  type LimitReachedEvent,
  limitReachedEvents,
} from '../../usage/domain/limit-reached.events.js';
import { numberUsd } from '../../../kernel/usd.js';
import {
  type Action,
  type Description,
  type Descriptions,
  type FieldChange,
  type TargetType,
  targetTypeOf,
} from './audit-event.js';

export type AuditedEvent = AccountEvent | KeyEvent | EndUserEvent | LimitReachedEvent;

export const auditedEvents = [
  ...accountEvents,
  ...keyEvents,
  ...endUserEvents,
  ...limitReachedEvents,
] as const;

interface Having<Field extends string> {
  readonly data: Readonly<Record<Field, unknown>>;
}

/** Describes an event by the field with its target's id. @param more `named` if it sets a name. */
function on<Event extends DomainEvent>(
  id: NoInfer<keyof Event['data']>,
  action: Action,
  changes: NoInfer<Description<Event>['changes']>,
  more: NoInfer<Pick<Description<Event>, 'name'>> = {},
): Description<Event> {
  return { action, target: (data) => String(data[id]), changes, ...more };
}

const named = { name: ({ name }: { readonly name: string | null }) => name };

/** Each value of a creation, without nulls, which were not set, and the fields in `hidden`. */
function created<Field extends string>(...hidden: readonly Field[]) {
  const isHidden = new Set<string>(hidden);
  return ({ data }: Having<Field>): FieldChange[] => set(data, isHidden);
}

const NONE_HIDDEN: ReadonlySet<string> = new Set();

function set(values: Readonly<Record<string, unknown>>, hidden = NONE_HIDDEN): FieldChange[] {
  const changes: FieldChange[] = [];
  for (const field in values) {
    const after = values[field];
    if (after !== null && !hidden.has(field)) changes.push({ field, before: null, after });
  }
  return changes;
}

/** The change of a field whose value before is in the event too, as `previous_…`. */
function moved<Field extends string>(field: Field) {
  const previous = `previous_${field}` as const;
  return ({ data }: Having<Field | `previous_${Field}`>): FieldChange[] => [
    { field, before: data[previous], after: data[field] },
  ];
}

function became(field: string, before: unknown, after: unknown) {
  return (): FieldChange[] => [{ field, before, after }];
}

type Fields = Readonly<Record<string, unknown>>;

interface BudgetSet {
  readonly data: { readonly budget: Fields; readonly previous_budget: Fields | null };
}

/** The fields of a budget that changed. A first budget changes those that are not null. */
function budgetSet({ data: { budget, previous_budget } }: BudgetSet): FieldChange[] {
  return Object.entries(budget)
    .map(([field, after]) => ({ field, before: previous_budget?.[field] ?? null, after }))
    .filter(({ before, after }) => after !== before);
}

function budgetRemoved({ data }: { readonly data: { readonly previous_budget: Fields } }) {
  const fields = Object.entries(data.previous_budget);
  return fields.map(([field, before]): FieldChange => ({ field, before, after: null }));
}

const left = ({ data }: Having<'user_id'>) => [
  { field: 'user_id', before: data.user_id, after: null },
];

const reached = ({ data: { id: _, spent, threshold, limit, ...window } }: LimitReachedEvent) =>
  set({ threshold, limit, spent: numberUsd(BigInt(spent)), ...window });

const DESCRIPTIONS: Descriptions<AuditedEvent> = {
  AccountCreated: on('account_id', 'account.created', created('account_id'), named),
  MemberAdded: on('user_id', 'member.added', created('account_id')),
  MemberRemoved: on('user_id', 'member.removed', left),
  ManagementKeyCreated: on(
    'hash',
    'management-key.created',
    ({ data: { account_id: _, hash: __, displaces: ___, ...values } }) => set(values),
    named,
  ),
  ManagementKeyRevoked: on('hash', 'management-key.revoked', ({ metadata }) => [
    { field: 'revoked_at', before: null, after: metadata.occurred_at },
  ]),
  WorkspaceCreated: on(
    'workspace_id',
    'workspace.created',
    created('account_id', 'workspace_id'),
    named,
  ),
  WorkspaceRenamed: on('workspace_id', 'workspace.renamed', moved('name'), named),
  WorkspaceSlugChanged: on('workspace_id', 'workspace.slug-changed', moved('slug')),
  WorkspaceDescriptionChanged: on(
    'workspace_id',
    'workspace.description-changed',
    moved('description'),
  ),
  WorkspaceRestricted: on('workspace_id', 'workspace.restricted', moved('restrictions')),
  WorkspaceMemberAdded: on('workspace_id', 'workspace.member-added', created('workspace_id')),
  WorkspaceMemberRemoved: on('workspace_id', 'workspace.member-removed', left),
  WorkspaceDeleted: on('workspace_id', 'workspace.deleted', became('deleted', false, true)),
  WorkspaceBudgetSet: on('workspace_id', 'workspace.budget-set', budgetSet),
  WorkspaceBudgetRemoved: on('workspace_id', 'workspace.budget-removed', budgetRemoved),
  AccountEndUserBudgetSet: on('account_id', 'account.end-user-budget-set', budgetSet),
  AccountEndUserBudgetRemoved: on('account_id', 'account.end-user-budget-removed', budgetRemoved),
  ApiKeyCreated: on(
    'hash',
    'key.created',
    // The audit trail never shows the hash of a lookup key.
    ({ data: { hash: _, account_id: __, external, ...values } }) =>
      set({ ...values, external_user: external && { user: external.user } }),
    named,
  ),
  ApiKeyRenamed: on('hash', 'key.renamed', moved('name'), named),
  ApiKeyDisabled: on('hash', 'key.disabled', became('disabled', false, true)),
  ApiKeyEnabled: on('hash', 'key.enabled', became('disabled', true, false)),
  ApiKeyLimitChanged: on('hash', 'key.limit-changed', moved('limit')),
  ApiKeyLimitResetChanged: on('hash', 'key.limit-reset-changed', moved('limit_reset')),
  ApiKeyByokInLimitChanged: on('hash', 'key.byok-in-limit-changed', ({ data }) => [
    // The event has the new value only. The old value of a flag is the opposite.
    {
      field: 'include_byok_in_limit',
      before: !data.include_byok_in_limit,
      after: data.include_byok_in_limit,
    },
  ]),
  ApiKeyExpiryChanged: on('hash', 'key.expiry-changed', moved('expires_at')),
  ApiKeyMovedToWorkspace: on('hash', 'key.moved', moved('workspace_id')),
  ApiKeyStringAdded: on('hash', 'key.rotated', ({ data }) => [
    { field: 'string', before: null, after: data.string_hash },
    { field: 'others_end_at', before: null, after: data.others_end_at },
  ]),
  ApiKeyStringEnded: on('hash', 'key.string-ended', ({ data }) => [
    { field: 'string', before: data.string_hash, after: null },
  ]),
  ApiKeyDeleted: on('hash', 'key.deleted', became('deleted', false, true)),
  EndUserRegistered: on('user', 'end-user.registered', created('organization_id')),
  EndUserDeactivated: on('user', 'end-user.deactivated', became('is_active', true, false)),
  EndUserReactivated: on('user', 'end-user.reactivated', became('is_active', false, true)),
  EndUserBudgetSet: on('user', 'end-user.budget-set', budgetSet),
  EndUserBudgetRemoved: on('user', 'end-user.budget-removed', budgetRemoved),
  ApiKeyLimitReached: on('id', 'key.limit-reached', reached),
  WorkspaceLimitReached: on('id', 'workspace.limit-reached', reached),
  EndUserLimitReached: on('id', 'end-user.limit-reached', reached),
};

export const ACTIONS: readonly Action[] = auditedEvents.map(
  ({ type }) => descriptionOf(type).action,
);

/** Describes a type of event. @throws Error for an unknown type: tests run without type checks. */
export function descriptionOf(type: AuditedEvent['type']): Description<AuditedEvent> {
  if (!Object.hasOwn(DESCRIPTIONS, type)) throw new Error(`${type} has no description`);
  return DESCRIPTIONS[type];
}

export function actionsOn(type: TargetType): Action[] {
  return ACTIONS.filter((action) => targetTypeOf(action) === type);
}
