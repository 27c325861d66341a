import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import type { EventDefinition } from '../../../src/kernel/event.js';

export type JsonSchema = z.core.JSONSchema.BaseSchema;

/** Gives the JSON Schema of every version of every event, under `Type@version`. */
export type SchemaRecord = Readonly<Record<string, unknown>>;

/**
 * @throws when the schema has a rule that its JSON Schema cannot express, because a change of the
 * rule would go unseen.
 */
export function jsonSchemaOf(definition: EventDefinition): JsonSchema {
  const { schema } = definition;
  if (!(schema instanceof z.ZodType)) throw new Error(`${nameOf(definition)} has no zod schema`);
  const { $schema: _, ...shape } = z.toJSONSchema(schema, {
    io: 'input',
    override: ({ zodSchema }) => {
      const rule = unseenRule(zodSchema._zod.def);
      if (rule) throw new Error(`${nameOf(definition)} has a rule no JSON Schema shows: ${rule}`);
    },
  });
  return shape;
}

function unseenRule(def: z.core.$ZodTypeDef & { coerce?: unknown }): string | undefined {
  if (def.type === 'pipe') return 'transform';
  if (def.coerce) return 'coerce';
  const checks = (def.checks ?? []).map((check) => check._zod.def.check);
  return checks.find((check) => check === 'custom' || check === 'overwrite');
}

export function recordOf(definitions: readonly EventDefinition[]): SchemaRecord {
  const schemas = definitions.map((definition) => [nameOf(definition), jsonSchemaOf(definition)]);
  return JSON.parse(JSON.stringify(Object.fromEntries(schemas))) as SchemaRecord;
}

/**
 * Gives the differences between the code and the record. Each line names a version and its remedy.
 */
export function breaches(recorded: SchemaRecord, current: SchemaRecord): string[] {
  return Object.entries(recorded).flatMap(([name, schema]) => {
    if (!(name in current))
      return `${name} is not declared any more, but logs may hold it: bring it back`;
    if (isDeepStrictEqual(withFieldsOf(schema, current[name]), schema)) return [];
    return (
      `${name} is not the schema that events were stored with: bring that one back, and declare ` +
      'the new shape as the next version, with an upcaster (docs/events.md)'
    );
  });
}

/**
 * Gives a schema without the optional fields that are new: events that were stored before do not
 * have them.
 */
function withFieldsOf(recorded: unknown, current: unknown): unknown {
  const before = recorded as JsonSchema;
  const { required = [], ...now } = current as JsonSchema;
  const kept = Object.entries(now.properties ?? {}).filter(
    ([field]) => required.includes(field) || field in (before.properties ?? {}),
  );
  return { ...(current as JsonSchema), properties: Object.fromEntries(kept) };
}

/** Gives the versions that are declared but not recorded yet. */
export function unrecorded(recorded: SchemaRecord, current: SchemaRecord): string[] {
  return Object.keys(current).filter((name) => !(name in recorded));
}

function nameOf({ type, version }: EventDefinition): string {
  return `${type}@${version}`;
}
