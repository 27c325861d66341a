import type { DomainEvent, EventDefinition, Recorded } from '../kernel/event.js';
import type { RecordedEvent } from './event-log.js';

/** A stored event of a known type whose data does not fit its schema, or whose version is not known. */
export class UnreadableEventError extends Error {
  override readonly name = 'UnreadableEventError';

  constructor(
    readonly event: RecordedEvent,
    cause: unknown,
  ) {
    super(
      `event ${event.id} (${event.type} version ${event.version}) at position ${event.position} cannot be read: ` +
        (cause instanceof Error ? cause.message : String(cause)),
      { cause },
    );
  }
}

/**
 * Knows every event the service can store: writes an event in its current version and reads any stored
 * version back. Events of unknown types are not ours to judge and read as null.
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
   * The stored form of a domain event. @throws when the type is unknown or the data does not fit its schema:
   * what could not be read back is never written.
   */
  encode(event: DomainEvent): { type: string; version: number; data: unknown } {
    const definition = this.#definitions.get(event.type);
    if (!definition) throw new Error(`event ${event.type} is not registered`);
    return {
      type: event.type,
      version: definition.version,
      data: definition.schema.parse(event.data),
    };
  }

  /** A stored event, parsed; null for an unknown type. @throws UnreadableEventError */
  decode(recorded: RecordedEvent): Recorded<DomainEvent> | null {
    const definition = this.#definitions.get(recorded.type);
    if (!definition) return null;
    if (recorded.version !== definition.version) {
      throw new UnreadableEventError(
        recorded,
        new Error(`only version ${definition.version} is known`),
      );
    }
    let data: unknown;
    try {
      data = definition.schema.parse(recorded.data);
    } catch (cause) {
      throw new UnreadableEventError(recorded, cause);
    }
    return { ...recorded, data };
  }
}
