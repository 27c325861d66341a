import { describe, expect, it } from '@jest/globals';
import { GOLDEN_FILES, goldenData } from '../../../../test/project/golden-events/golden-files.js';
import { ACCOUNT_DESCRIPTIONS } from '../../../../test/support/specs/descriptions/account-descriptions.js';
import { END_USER_DESCRIPTIONS } from '../../../../test/support/specs/descriptions/end-user-descriptions.js';
import { KEY_DESCRIPTIONS } from '../../../../test/support/specs/descriptions/key-descriptions.js';
import { WORKSPACE_DESCRIPTIONS } from '../../../../test/support/specs/descriptions/workspace-descriptions.js';
import { metadataAt } from '../../../../test/support/specs/metadata-at.js';
import { management } from '../../../host/ledgers/management.js';
import { reservationEvents } from '../../keys/domain/key.events.js';
import { EventRegistry } from '../../../event-sourcing/event-log/event-registry.js';
import type { Happened } from '../../../kernel/event.js';
import { ACTIONS, auditedEvents, type AuditedEvent, descriptionOf } from './descriptions.js';
import { type FieldChange, TARGET_TYPES, targetTypeOf } from './audit-event.js';

interface Found {
  readonly action: string;
  readonly target: string;
  /** Undefined when the event has no name. */
  readonly name: string | null | undefined;
  readonly changes: readonly FieldChange[];
}

/** Reservations of strings are no actions. */
const RESERVATIONS = reservationEvents.map(({ type }): string => type);
const AUDITED = management.events
  .map(({ type }) => type)
  .filter((type) => !RESERVATIONS.includes(type));

const registry = new EventRegistry(management.events);

/** Describes a golden event. */
function described(file: string): Found {
  const golden = GOLDEN_FILES.find((stored) => stored.file === file);
  if (!golden) throw new Error(`there is no ${file}`);
  const { type, version } = golden;
  const place = { id: 'id', position: '1', stream: 's', revision: 0 };
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

const EXPECTED = [
  ...ACCOUNT_DESCRIPTIONS,
  ...WORKSPACE_DESCRIPTIONS,
  ...KEY_DESCRIPTIONS,
  ...END_USER_DESCRIPTIONS,
];

describe('the description of an event', () => {
  it.each(EXPECTED)('of %s says %s', (file, action, target, name, changes) => {
    expect(described(file)).toEqual({ action, target, name, changes });
  });

  it('is expected for every event that was ever stored, but for usage and reservations', () => {
    const audited = GOLDEN_FILES.filter(
      ({ type }) => !type.startsWith('Usage') && !RESERVATIONS.includes(type),
    );
    const files = audited.map(({ file }) => file);
    expect(EXPECTED.map(([file]) => file).sort()).toEqual(files.sort());
  });

  it('is there for every event that can be stored', () => {
    const types = auditedEvents.map(({ type }) => type);
    expect(types.sort()).toEqual(AUDITED.sort());
  });

  it('has an action that no other event has, on a known type of target', () => {
    expect(new Set(ACTIONS).size).toBe(AUDITED.length);
    for (const action of ACTIONS) expect(TARGET_TYPES).toContain(targetTypeOf(action));
  });

  it('never contains the hash of a lookup key', () => {
    const lookup_key_hash = 'f'.repeat(64);
    const data = { ...(goldenData('ApiKeyCreated.v1.json') as object) };
    const external = { user: 'u', lookup_key_hash };
    const event = { type: 'ApiKeyCreated', data: { ...data, external }, metadata: metadataAt(0) };
    const found = descriptionOf('ApiKeyCreated').changes(event as Happened<AuditedEvent>);
    expect(found).toContainEqual({ field: 'external_user', before: null, after: { user: 'u' } });
    expect(JSON.stringify(found)).not.toContain(lookup_key_hash);
  });
});
