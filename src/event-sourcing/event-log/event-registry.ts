import { ZodError } from 'zod';
import { messageOf, Unreadable } from '../../kernel/errors.js';
import type { DomainEvent, EventDefinition, Recorded } from '../../kernel/event.js';
import { isEventMetadata } from '../../kernel/metadata.js';
import type { RecordedEvent, StoredEvent } from './event-log.js';

/**
 * The error for a stored event that cannot be read: an unknown version, data that do not fit the
 * schema, a failed upcaster, or incomplete metadata. For a decision, also an unknown type.
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
 * The registry of every event that the service can store. It encodes a domain event into its stored
 * form, and decodes every stored version into the newest one.
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
   * @throws for an unknown type, or data that do not fit its schema and could not be read back.
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
   * For folds: returns a stored event in the newest version of its type; null for an unknown type.
   * @throws UnreadableEventError when the event cannot be read.
   */
  decode(recorded: RecordedEvent): Recorded<DomainEvent> | null {
    const definition = this.#definitions.get(recorded.type);
    if (!definition) return null;
    try {
      if (!isEventMetadata(recorded.metadata)) {
        throw new Error('its metadata lack a valid actor, time or account');
      }
      return withData(recorded, upcastData(definition, recorded));
    } catch (cause) {
      throw new UnreadableEventError(recorded, cause);
    }
  }

  /**
   * For decisions, which must not ignore an unknown type: returns an event in its newest version.
   * @throws UnreadableEventError when the event cannot be read, or its type is unknown.
   */
  decodeForDecision(recorded: RecordedEvent): Recorded<DomainEvent> {
    const event = this.decode(recorded);
    if (!event) throw new UnreadableEventError(recorded, 'its type is not known to this build');
    return event;
  }
}

/** Words an error in one line for logs and tables, with each place in data that does not fit. */
function reasonOf(cause: unknown): string {
  if (!(cause instanceof ZodError)) return messageOf(cause);
  return cause.issues
    .map(({ path, message }) => `${path.map(String).join('.') || 'data'}: ${message}`)
    .join('; ');
}

/** Returns an event's data in the version of a definition, and upcasts those of an earlier one. */
function upcastData(
  { version, schema, previous }: EventDefinition,
  recorded: RecordedEvent,
): unknown {
  if (recorded.version === version) return schema.parse(recorded.data);
  if (!previous) throw new Error('its version is not known');
  const before = withData(recorded, upcastData(previous.definition, recorded));
  try {
    return schema.parse(previous.upcast(before));
  } catch (cause) {
    throw new Error(`its upcaster to version ${version} failed: ${reasonOf(cause)}`, { cause });
  }
}

/** Copies an event with other data: field by field, because a spread makes a replay slower. */
function withData(recorded: RecordedEvent, data: unknown): Recorded<DomainEvent> {
  const { type, metadata, id, position } = recorded;
  return { type, data, metadata, id, position };
}
