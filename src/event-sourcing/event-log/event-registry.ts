import { ZodError } from 'zod';
import { messageOf, Unreadable } from '../../kernel/errors.js';
import type { DomainEvent, EventDefinition, Recorded } from '../../kernel/event.js';
import { isEventMetadata } from '../../kernel/metadata.js';
import type { RecordedEvent, StoredEvent } from './event-log.js';

/**
 * The error for a stored event that cannot be read: its version is unknown, its data do not fit the schema, an upcaster
 * failed, or its metadata are incomplete. For a decision, its type may also be unknown.
 */
export class UnreadableEventError extends Unreadable {
  override readonly name = 'UnreadableEventError';

  constructor(
    readonly event: RecordedEvent,
    cause: unknown,
  ) {
    super(
      `event ${event.id} (${event.type} version ${event.version}) in stream ${event.stream} at position ${event.position} cannot be read: ` +
        reasonOf(cause),
      cause,
    );
  }
}

/**
 * The registry of every event that the service can store. It encodes a domain event into its stored form, and decodes
 * every stored version into the newest one.
 */
export class EventRegistry {
  readonly #definitions = new Map<string, EventDefinition>();

  constructor(definitions: readonly EventDefinition[]) {
    for (const definition of definitions) {
      if (this.#definitions.has(definition.type)) {
        throw new Error(`event ${definition.type} is registered twice`);
      }
      this.#definitions.set(definition.type, definition);
    }
  }

  /**
   * Encodes a domain event in its newest version.
   * @throws when the type is unknown or the data does not fit its schema, because the event could not be read back.
   */
  encode(event: DomainEvent): Pick<StoredEvent, 'type' | 'version' | 'data'> {
    const definition = this.#definitions.get(event.type);
    if (!definition) throw new Error(`event ${event.type} is not registered`);
    const { type, version, schema } = definition;
    try {
      return { type, version, data: schema.parse(event.data) };
    } catch (cause) {
      const what = `event ${type} version ${version}`;
      throw new Error(`${what} cannot be written: ${reasonOf(cause)}`, { cause });
    }
  }

  /**
   * Returns a stored event in the newest version of its type; null for an unknown type. Folds of the whole log use it.
   * @throws UnreadableEventError when the event cannot be read.
   */
  decode(recorded: RecordedEvent): Recorded<DomainEvent> | null {
    const definition = this.#definitions.get(recorded.type);
    if (!definition) return null;
    try {
      if (!isEventMetadata(recorded.metadata)) {
        throw new Error('its metadata lack a valid actor, time or account');
      }
      return withData(recorded, dataIn(definition, recorded));
    } catch (cause) {
      throw new UnreadableEventError(recorded, cause);
    }
  }

  /**
   * Returns a stored event in the newest version of its type, for a decision, which must not ignore an unknown type.
   * @throws UnreadableEventError when the event cannot be read, or its type is unknown.
   */
  decodeForDecision(recorded: RecordedEvent): Recorded<DomainEvent> {
    const event = this.decode(recorded);
    if (!event) throw new UnreadableEventError(recorded, 'its type is not known to this build');
    return event;
  }
}

/** Returns the message of an error in one line, for logs and tables. It names each place in the data that does not fit. */
function reasonOf(cause: unknown): string {
  if (!(cause instanceof ZodError)) return messageOf(cause);
  return cause.issues
    .map(({ path, message }) => `${path.map(String).join('.') || 'data'}: ${message}`)
    .join('; ');
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
