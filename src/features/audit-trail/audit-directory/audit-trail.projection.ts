import type { Recorded } from '../../../kernel/event.js';
import type { Actor } from '../../../kernel/metadata.js';
import type { Position } from '../../../kernel/position.js';
import type { Documents, Projection } from '../../../event-sourcing/projections/projection.js';
import { type AuditedEvent, auditedEvents, descriptionOf } from '../domain/descriptions.js';
import { type Action, type TargetType, targetTypeOf } from '../domain/audit-event.js';
import { orderOf } from '../domain/order.js';

/** An event of the log. Flat and without null fields, because there are very many documents. */
export interface EventDocument {
  /** The id of the event. Two may have the same, if another program wrote them to the log. */
  readonly event: string;
  readonly account: string;
  readonly order: string;
  readonly position: Position;
  readonly action: Action;
  /** Absent for a management key, which does most of what is done. */
  readonly by?: Actor['type'];
  readonly actor: string;
  readonly user?: string;
  /** The id of the target. The action contains the type of the target. */
  readonly target: string;
  readonly name?: string;
  readonly changes: readonly StoredChange[];
  readonly request?: string;
  readonly trace?: string;
}

type Mutable<Whole> = { -readonly [Field in keyof Whole]: Whole[Field] };

type StoredChange = readonly [field: string, before: unknown, after: unknown];

export interface AuditCollections {
  readonly audit_events: EventDocument;
  /** The current name of a target, for events on the target that do not contain the name. */
  readonly target_names: { readonly name: string | null };
}

/** The types of targets whose names are stored, because some of their events lack them. */
const KEPT_NAMES: ReadonlySet<TargetType> = new Set([
  'key',
  'workspace',
  'management-key',
  'account',
]);

/** The types of events on targets whose type is in `KEPT_NAMES`. */
const KEEPING_NAMES: ReadonlySet<AuditedEvent['type']> = new Set(
  auditedEvents
    .map(({ type }) => type)
    .filter((type) => KEPT_NAMES.has(targetTypeOf(descriptionOf(type).action))),
);

/** The types of events that name a new target. The log accepts one only once for each target. */
const NAMED_ONCE: ReadonlySet<AuditedEvent['type']> = new Set([
  'ApiKeyCreated',
  'WorkspaceCreated',
  'AccountCreated',
]);

/**
 * The projection that stores all audited events by account, with an index for each filter. The key
 * of an event document is the log position, so that a long replay adds each document at the end of
 * the collection. Other documents exist only for targets whose names later events do not contain.
 *
 * The name of a deleted target stays, because a later event may concern the target.
 */
export const auditTrail: Projection<AuditedEvent, AuditCollections> = {
  name: 'audit-trail',
  version: 11,
  events: auditedEvents,
  collections: {
    audit_events: {
      indexes: {
        by_id: ['event'],
        by_position: ['account', 'position'],
        by_action: ['account', 'action', 'order'],
        by_actor: ['account', 'actor', 'action', 'order'],
        by_user: ['account', 'user', 'action', 'order'],
        by_target: ['target', 'account', 'action', 'order'],
      },
      recurring: ['account', 'action', 'actor', 'user'],
    },
    target_names: { indexes: {} },
  },
  evolve,
};

function evolve(documents: Documents<AuditCollections>, event: Recorded<AuditedEvent>): void {
  const name = keepTargetName(documents, event);
  documents.create('audit_events', event.position, eventDocument(event, name));
}

/** Returns the name of an event's target, and stores it for later events that do not contain it. */
function keepTargetName(
  documents: Documents<AuditCollections>,
  event: Recorded<AuditedEvent>,
): string | null {
  const description = descriptionOf(event.type);
  const named = description.name?.(event.data);
  if (!KEEPING_NAMES.has(event.type)) return named ?? null;
  const key = `${targetTypeOf(description.action)}:${description.target(event.data)}`;
  if (named === undefined) return documents.get('target_names', key)?.name ?? null;
  if (NAMED_ONCE.has(event.type)) documents.create('target_names', key, { name: named });
  else documents.set('target_names', key, { name: named });
  return named;
}

function eventDocument(event: Recorded<AuditedEvent>, name: string | null): EventDocument {
  const { position, metadata } = event;
  const { account_id: account, actor, request_id: request, trace_id: trace } = metadata;
  const description = descriptionOf(event.type);
  const document: Mutable<EventDocument> = {
    event: event.id,
    account,
    order: orderOf(metadata.occurred_at, position),
    position,
    action: description.action,
    actor: actor.id,
    target: description.target(event.data),
    changes: description.changes(event).map(({ field, before, after }) => [field, before, after]),
  };
  if (actor.type !== 'management-key') document.by = actor.type;
  if (actor.user_id !== null) document.user = actor.user_id;
  if (name !== null) document.name = name;
  if (request !== null) document.request = request;
  if (trace !== undefined) document.trace = trace;
  return document;
}
