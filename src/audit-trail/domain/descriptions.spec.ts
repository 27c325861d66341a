import { describe, expect, it } from '@jest/globals';
import { GOLDEN_FILES, goldenData } from '../../../test/golden-events/golden-files.js';
import { metadataAt, timeAt } from '../../../test/specs/metadata-at.js';
import { EVENTS } from '../../events-and-projections.js';
import { EventRegistry } from '../../event-log/event-registry.js';
import type { Happened } from '../../kernel/event.js';
import { ACTIONS, auditedEvents, type AuditedEvent, descriptionOf } from './descriptions.js';
import { type FieldChange, TARGET_TYPES, targetTypeOf } from './description.js';

interface Told {
  readonly action: string;
  readonly target: string;
  /** Undefined when the event does not say it. */
  readonly name: string | null | undefined;
  readonly changes: readonly FieldChange[];
}

const registry = new EventRegistry(EVENTS);

/** A stored event as the audit trail tells it. */
function told(file: string): Told {
  const golden = GOLDEN_FILES.find((stored) => stored.file === file);
  if (!golden) throw new Error(`there is no ${file}`);
  const { type, version } = golden;
  const place = { id: 'id', stream: 'stream', revision: 0, position: '1' };
  const stored = { ...place, type, version, data: goldenData(file), metadata: metadataAt(7) };
  const event = registry.decode(stored) as Happened<AuditedEvent>;
  const description = descriptionOf(event.type);
  return {
    action: description.action,
    target: description.target(event.data),
    name: description.name?.(event.data),
    changes: description.changes(event),
  };
}

function now(field: string, after: unknown): FieldChange {
  return { field, before: null, after };
}

const UNNAMED = undefined;

const EXPECTED: readonly (readonly [string, string, string, Told['name'], FieldChange[]])[] = [
  [
    'AccountCreated.v1.json',
    'account.created',
    'acc',
    'Acme',
    [
      now('kind', 'organization'),
      now('name', 'Acme'),
      now('owner_user_id', 'ada'),
      now('default_workspace_id', 'w'),
    ],
  ],
  ['MemberAdded.v1.json', 'member.added', 'bob', UNNAMED, [now('user_id', 'bob')]],
  [
    'MemberRemoved.v1.json',
    'member.removed',
    'bob',
    UNNAMED,
    [{ field: 'user_id', before: 'bob', after: null }],
  ],
  ['ManagementKeyCreated.v1.json', 'management-key.created', 'h', null, [now('user_id', 'ada')]],
  [
    'ManagementKeyRevoked.v1.json',
    'management-key.revoked',
    'h',
    UNNAMED,
    [now('revoked_at', timeAt(7))],
  ],
  [
    'WorkspaceCreated.v2.json',
    'workspace.created',
    'w',
    'Europe',
    [
      now('name', 'Europe'),
      now('slug', 'europe'),
      now('restrictions', ['eu-only']),
      now('is_default', false),
    ],
  ],
  [
    'WorkspaceCreated.v1.json',
    'workspace.created',
    'w',
    'Default',
    [
      now('name', 'Default'),
      now('slug', 'default'),
      now('restrictions', ['eu-only']),
      now('is_default', true),
    ],
  ],
  [
    'WorkspaceRenamed.v1.json',
    'workspace.renamed',
    'w',
    'b',
    [{ field: 'name', before: 'a', after: 'b' }],
  ],
  [
    'WorkspaceSlugChanged.v1.json',
    'workspace.slug-changed',
    'w',
    UNNAMED,
    [{ field: 'slug', before: 'a', after: 'b' }],
  ],
  [
    'WorkspaceDescriptionChanged.v1.json',
    'workspace.description-changed',
    'w',
    UNNAMED,
    [now('description', 'Keys of the EU.')],
  ],
  [
    'WorkspaceRestricted.v1.json',
    'workspace.restricted',
    'w',
    UNNAMED,
    [{ field: 'restrictions', before: [], after: ['a'] }],
  ],
  ['WorkspaceMemberAdded.v1.json', 'workspace.member-added', 'w', UNNAMED, [now('user_id', 'bob')]],
  [
    'WorkspaceMemberRemoved.v1.json',
    'workspace.member-removed',
    'w',
    UNNAMED,
    [{ field: 'user_id', before: 'bob', after: null }],
  ],
  ['WorkspaceDeletionStarted.v1.json', 'workspace.deletion-started', 'w', UNNAMED, []],
  ['WorkspaceDeletionCancelled.v1.json', 'workspace.deletion-cancelled', 'w', UNNAMED, []],
  [
    'WorkspaceDeleted.v1.json',
    'workspace.deleted',
    'w',
    UNNAMED,
    [{ field: 'deleted', before: false, after: true }],
  ],
  [
    'ApiKeyCreated.v1.json',
    'key.created',
    'h',
    'n',
    [
      now('workspace_id', 'w'),
      now('name', 'n'),
      now('creator_user_id', 'ada'),
      now('limit', 0.1),
      now('limit_reset', 'monthly'),
      now('include_byok_in_limit', false),
      now('expires_at', '2027-01-01T00:00:00.000Z'),
      now('external_user', { user: 'u' }),
    ],
  ],
  ['ApiKeyRenamed.v1.json', 'key.renamed', 'h', 'b', [{ field: 'name', before: 'a', after: 'b' }]],
  [
    'ApiKeyDisabled.v1.json',
    'key.disabled',
    'h',
    UNNAMED,
    [{ field: 'disabled', before: false, after: true }],
  ],
  [
    'ApiKeyEnabled.v1.json',
    'key.enabled',
    'h',
    UNNAMED,
    [{ field: 'disabled', before: true, after: false }],
  ],
  [
    'ApiKeyLimitChanged.v1.json',
    'key.limit-changed',
    'h',
    UNNAMED,
    [{ field: 'limit', before: 12.5, after: null }],
  ],
  [
    'ApiKeyLimitResetChanged.v1.json',
    'key.limit-reset-changed',
    'h',
    UNNAMED,
    [now('limit_reset', 'daily')],
  ],
  [
    'ApiKeyByokInLimitChanged.v1.json',
    'key.byok-in-limit-changed',
    'h',
    UNNAMED,
    [{ field: 'include_byok_in_limit', before: false, after: true }],
  ],
  [
    'ApiKeyMovedToWorkspace.v1.json',
    'key.moved',
    'h',
    UNNAMED,
    [{ field: 'workspace_id', before: 'a', after: 'b' }],
  ],
  [
    'ApiKeyDeleted.v1.json',
    'key.deleted',
    'h',
    UNNAMED,
    [{ field: 'deleted', before: false, after: true }],
  ],
  ['EndUserRegistered.v1.json', 'end-user.registered', 'Alice', UNNAMED, [now('user', 'Alice')]],
  [
    'EndUserDeactivated.v1.json',
    'end-user.deactivated',
    'Alice',
    UNNAMED,
    [{ field: 'is_active', before: true, after: false }],
  ],
  [
    'EndUserReactivated.v1.json',
    'end-user.reactivated',
    'Alice',
    UNNAMED,
    [{ field: 'is_active', before: false, after: true }],
  ],
];

describe('the description of an event', () => {
  it.each(EXPECTED)('of %s says %s', (file, action, target, name, changes) => {
    expect(told(file)).toEqual({ action, target, name, changes });
  });

  it('is expected above for every event that was ever stored', () => {
    const files = GOLDEN_FILES.map(({ file }) => file);
    expect(EXPECTED.map(([file]) => file).sort()).toEqual(files.sort());
  });

  it('is there for every event that can be stored', () => {
    const described = auditedEvents.map(({ type }) => type);
    expect(described.sort()).toEqual(EVENTS.map(({ type }) => type).sort());
  });

  it('has an action that no other event has, on a known type of target', () => {
    expect(new Set(ACTIONS).size).toBe(EVENTS.length);
    for (const action of ACTIONS) expect(TARGET_TYPES).toContain(targetTypeOf(action));
  });

  it('never holds what is kept of a lookup key', () => {
    const lookup_key_hash = 'f'.repeat(64);
    const data = { ...(goldenData('ApiKeyCreated.v1.json') as object) };
    const external = { user: 'u', lookup_key_hash };
    const event = { type: 'ApiKeyCreated', data: { ...data, external }, metadata: metadataAt(0) };
    const found = descriptionOf('ApiKeyCreated').changes(event as Happened<AuditedEvent>);
    expect(found).toContainEqual({ field: 'external_user', before: null, after: { user: 'u' } });
    expect(JSON.stringify(found)).not.toContain(lookup_key_hash);
  });
});
