import { messageOf, Unavailable } from '../kernel/errors.js';
import {
  type DomainEvent,
  type EventDefinition,
  type Recorded,
  versionsOf,
} from '../kernel/event.js';
import { type EventMetadata, isEventMetadata } from '../kernel/metadata.js';
import { checkHash } from './event-hash.js';
import type { RecordedEvent } from './event-log.js';

/**
 * The error for a stored event that cannot be read: its version is unknown, its data do not fit the schema, an upcaster
 * failed, its metadata are incomplete, or it does not match its hash. For a decision, its type may also be unknown.
 */
export class UnreadableEventError extends Error {
  override readonly name = 'UnreadableEventError';

  constructor(
    readonly event: RecordedEvent,
    cause: unknown,
  ) {
    super(
      `event ${event.id} (${event.type} version ${event.version}) in stream ${event.stream} at position ${event.position} cannot be read: ` +
        reasonOf(cause),
      { cause },
    );
  }
}

/**
 * The registry of every event that the service can store. It encodes a domain event into its stored form, and decodes
 * every stored version into the newest one.
 */
export class EventRegistry {
  readonly #definitions = new Map<string, EventDefinition>();

  /** @param options `writesNew`: whether versions that are new in this release are written. Default: they are. */
  constructor(
    definitions: readonly EventDefinition[],
    private readonly options: { readonly writesNew: boolean } = { writesNew: true },
  ) {
    for (const definition of definitions) {
      if (this.#definitions.has(definition.type)) {
        throw new Error(`event ${definition.type} is registered twice`);
      }
      const missing = versionsOf(definition).findIndex(
        ({ version }, index) => version !== index + 1,
      );
      if (missing >= 0) throw new Error(`event ${definition.type} lacks version ${missing + 1}`);
      this.#definitions.set(definition.type, definition);
    }
  }

  /** The names of the event versions that the service can read but must not write yet. */
  get waiting(): string[] {
    return [...this.#definitions.values()].filter((one) => this.#waits(one)).map(nameOf);
  }

  /**
   * Encodes a domain event in its newest version, or in the version before while the newest must not be written.
   * @throws Unavailable when the newest version must not be written and the version before cannot express the event; an
   * Error when the type is unknown or the data does not fit its schema, because the event could not be read back.
   */
  encode(event: DomainEvent): EncodedEvent {
    const definition = this.#definitions.get(event.type);
    if (!definition) throw new Error(`event ${event.type} is not registered`);
    const newest = encoded(definition, event.data);
    if (!this.#waits(definition)) return newest;
    const before = definition.previous?.definition;
    const data = definition.newInThisRelease?.asBefore?.(newest.data);
    if (before && data !== undefined) return encoded(before, data);
    const why = `${nameOf(definition)} is not written before WRITE_NEW_EVENT_VERSIONS=on`;
    throw new Unavailable('a new event version', why);
  }

  /** Whether an event was stored in an earlier version than the newest one. */
  isEarlier({ type, version }: EncodedEvent): boolean {
    return this.#definitions.get(type)?.version !== version;
  }

  /**
   * Returns a stored event in the newest version of its type; null for an unknown type. Folds of the whole log use it.
   * @throws UnreadableEventError when the event cannot be read or does not match its hash.
   */
  decode(recorded: RecordedEvent): Recorded<DomainEvent> | null {
    return this.#decode(recorded, true);
  }

  /**
   * Returns a stored event in the newest version of its type, for a decision. Unlike `decode`, it does not check the
   * hash, because requests wait for the decision; a fold of the whole log checks the hash of each event.
   * @returns null only for an event of an unknown type that is marked as ignorable.
   * @throws UnreadableEventError when the event cannot be read. A decision must not ignore an event of an unknown type,
   * so an unknown type without the mark is also an error.
   */
  decodeForDecision(recorded: RecordedEvent): Recorded<DomainEvent> | null {
    const event = this.#decode(recorded, false);
    if (event) return event;
    if (isEventMetadata(recorded.metadata) && recorded.metadata.ignorable === true) return null;
    throw new UnreadableEventError(recorded, 'its type is not known to this release');
  }

  /** Returns the marks to store in the metadata of an event. */
  marksOf({ type }: DomainEvent): Pick<EventMetadata, 'ignorable'> {
    return this.#definitions.get(type)?.ignorable === true ? { ignorable: true } : {};
  }

  #waits({ newInThisRelease }: EventDefinition): boolean {
    return newInThisRelease !== undefined && !this.options.writesNew;
  }

  #decode(recorded: RecordedEvent, isChecked: boolean): Recorded<DomainEvent> | null {
    const definition = this.#definitions.get(recorded.type);
    if (!definition) return null;
    try {
      if (!isEventMetadata(recorded.metadata)) {
        throw new Error('its metadata lack a valid actor, time or account');
      }
      if (isChecked && checkHash(recorded) === 'wrong') {
        throw new Error('its hash does not match its content');
      }
      return withData(recorded, dataIn(definition, recorded));
    } catch (cause) {
      throw new UnreadableEventError(recorded, cause);
    }
  }
}

/** An event in one version of its stored form. */
export interface EncodedEvent {
  readonly type: string;
  readonly version: number;
  readonly data: unknown;
}

function encoded(definition: EventDefinition, data: unknown): EncodedEvent {
  const { type, version, schema } = definition;
  try {
    return { type, version, data: schema.parse(data) };
  } catch (cause) {
    const what = `event ${nameOf(definition)}`;
    throw new Error(`${what} cannot be written: ${reasonOf(cause)}`, { cause });
  }
}

function nameOf({ type, version }: EventDefinition): string {
  return `${type} version ${version}`;
}

/** The error that a schema throws. It names each place in the data that does not fit. */
interface SchemaFault {
  readonly issues: readonly { readonly path: readonly PropertyKey[]; readonly message: string }[];
}

/** Returns the message of an error in one line, for logs and tables. */
function reasonOf(cause: unknown): string {
  if (!isSchemaFault(cause)) return messageOf(cause);
  return cause.issues
    .map(({ path, message }) => `${path.map(String).join('.') || 'data'}: ${message}`)
    .join('; ');
}

function isSchemaFault(cause: unknown): cause is SchemaFault {
  return cause instanceof Error && 'issues' in cause && Array.isArray(cause.issues);
}

/** Returns the data of an event in the version of a definition. It upcasts data of an earlier version. */
function dataIn({ version, schema, previous }: EventDefinition, recorded: RecordedEvent): unknown {
  if (recorded.version === version) return schema.parse(recorded.data);
  if (!previous) throw new Error('its version is not known');
  const before = withData(recorded, dataIn(previous.definition, recorded));
  try {
    return schema.parse(previous.upcast(before));
  } catch (cause) {
    throw new Error(`its upcaster to version ${version} failed: ${reasonOf(cause)}`, { cause });
  }
}

/** Returns a copy of an event with other data. A copy field by field makes a replay faster than a spread. */
function withData(recorded: RecordedEvent, data: unknown): Recorded<DomainEvent> {
  const { type, metadata, id, position } = recorded;
  return { type, data, metadata, id, position };
}
