import type { Recorded } from '../../kernel/event.js';
import type { Actor } from '../../kernel/metadata.js';
import type { Change, DocumentRef, Lookup, Projection } from '../../projections/projection.js';
import { type AuditedEvent, auditedEvents, descriptionOf } from '../domain/descriptions.js';
import {
  type Action,
  type FieldChange,
  type TargetType,
  targetTypeOf,
} from '../domain/description.js';
import { orderOf } from '../domain/order.js';
import { eventKeyOf } from '../domain/event-key.js';

/**
 * An event, told as shortly as can be, as there are very many: flat, without what is null, and with its time and
 * position in its order.
 */
export interface EventDocument extends Record<string, unknown> {
  /** Its id and its place in the log, as a foreign writer may have given its id to another: the key. */
  readonly event: string;
  readonly account: string;
  readonly order: string;
  readonly action: Action;
  /** The type of the actor, where it is not the usual one, its id, and its user. */
  readonly by?: Exclude<Actor['type'], UsualActor>;
  readonly actor: string;
  readonly user?: string;
  /** Its id; of what type it is, the action says. */
  readonly target: string;
  readonly name?: string;
  readonly changes: readonly StoredChange[];
  readonly request?: string;
}

/** While its fields are given to it one by one: a literal that spreads what may be there is dearer, in every event. */
type Begun<Whole> = { -readonly [Field in keyof Whole]: Whole[Field] };

type UsualActor = 'management-key';

export const USUAL_ACTOR: UsualActor = 'management-key';

type StoredChange = readonly [field: string, before: unknown, after: unknown];

/** What a target is called now, for those of its events that do not say it. */
export interface NameDocument extends Record<string, unknown> {
  readonly name: string | null;
}

export interface SecretDocument extends Record<string, unknown> {
  /** Random, the same wherever the log is folded, and shown to nobody. */
  readonly secret: string;
}

/** Targets whose events do not all say what the target is called. */
const KEPT_NAMES: ReadonlySet<TargetType> = new Set(['key', 'workspace', 'management-key']);

/** The events of such targets. */
const KEEPING_NAMES: ReadonlySet<AuditedEvent['type']> = new Set(
  auditedEvents
    .map(({ type }) => type)
    .filter((type) => KEPT_NAMES.has(targetTypeOf(descriptionOf(type).action))),
);

/** Events that name what certainly had no name before: the log lets them happen once for an id. */
const NAMED_ONCE: ReadonlySet<AuditedEvent['type']> = new Set([
  'ApiKeyCreated',
  'WorkspaceCreated',
]);

/**
 * Every event of the log by its id and its position, as its account is told it, in indexes for every filter. One event is
 * one document that was never there before; only targets with a name to remember have another.
 *
 * A name stays when its target is gone: a removed document could not tell that it reflects an event.
 */
export const auditTrail: Projection<AuditedEvent> = {
  name: 'audit-trail',
  version: 5,
  events: auditedEvents,
  collections: {
    events: {
      indexes: {
        by_action: ['account', 'action', 'order'],
        by_actor: ['account', 'actor', 'action', 'order'],
        by_user: ['account', 'user', 'action', 'order'],
        by_target: ['target', 'account', 'action', 'order'],
      },
      shared: ['account', 'action', 'actor', 'user'],
      key: 'event',
    },
    names: { indexes: {} },
    accounts: { indexes: {} },
  },
  touches,
  creates,
  evolve,
};

function targetKey(type: TargetType, id: string): string {
  return `${type}:${id}`;
}

function touches(event: Recorded<AuditedEvent>): DocumentRef[] {
  return keepsName(event) && !NAMED_ONCE.has(event.type) ? [nameRef(event)] : [];
}

function creates(event: Recorded<AuditedEvent>): DocumentRef[] {
  const created = [{ collection: 'events', key: eventKeyOf(event) }];
  if (NAMED_ONCE.has(event.type)) created.push(nameRef(event));
  if (event.type === 'AccountCreated') created.push(accountRef(event.data.account_id));
  return created;
}

function evolve(lookup: Lookup, event: Recorded<AuditedEvent>): Change[] {
  const description = descriptionOf(event.type);
  const named = description.name?.(event.data);
  const kept = keepsName(event);
  const name = named === undefined && kept ? nameBefore(lookup, event) : (named ?? null);
  const document = documentOf(event, name);
  const changes: Change[] = [{ collection: 'events', key: document.event, document }];
  if (kept && named !== undefined) changes.push({ document: { name }, ...nameRef(event) });
  if (event.type === 'AccountCreated') {
    const account: SecretDocument = { secret: event.metadata.causation_id };
    changes.push({ ...accountRef(event.data.account_id), document: account });
  }
  return changes;
}

function documentOf(event: Recorded<AuditedEvent>, name: string | null): EventDocument {
  const { position, metadata } = event;
  const { actor, request_id: request } = metadata;
  const description = descriptionOf(event.type);
  const document: Begun<EventDocument> = {
    event: eventKeyOf(event),
    account: metadata.account_id,
    order: orderOf(metadata.occurred_at, position),
    action: description.action,
    actor: actor.id,
    target: description.target(event.data),
    changes: description.changes(event).map(stored),
  };
  if (actor.type !== USUAL_ACTOR) document.by = actor.type;
  if (actor.user_id !== null) document.user = actor.user_id;
  if (name !== null) document.name = name;
  if (request !== null) document.request = request;
  return document;
}

function stored({ field, before, after }: FieldChange): StoredChange {
  return [field, before, after];
}

function keepsName({ type }: AuditedEvent): boolean {
  return KEEPING_NAMES.has(type);
}

function nameBefore(lookup: Lookup, event: AuditedEvent): string | null {
  const { collection, key } = nameRef(event);
  return (lookup(collection, key) as NameDocument | undefined)?.name ?? null;
}

function nameRef({ type, data }: AuditedEvent): DocumentRef {
  const description = descriptionOf(type);
  const key = targetKey(targetTypeOf(description.action), description.target(data));
  return { collection: 'names', key };
}

function accountRef(key: string): DocumentRef {
  return { collection: 'accounts', key };
}
