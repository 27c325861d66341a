import type { OpenAPIObject } from '@nestjs/swagger';

type Json = Readonly<Record<string, unknown>>;

/** Bounds of requests. Answers may hold what was stored before there were such bounds. */
const BOUNDS = new Set(['minLength', 'maxLength', 'pattern', 'minimum', 'minItems', 'maxItems']);

/**
 * A document of OpenAPI 3.0, which is what the generator makes, as one of 3.1: null is a type there. Schemas that only
 * answers refer to lose the bounds of the fields that they share with requests.
 */
export function inOpenApi31(document: OpenAPIObject): OpenAPIObject {
  const schemas: Json = document.components?.schemas ?? {};
  const taken = takenBy(document.paths, schemas);
  const rewritten = Object.entries(schemas).map(([name, schema]) => [
    name,
    withNullTypes(taken.has(name) ? schema : withoutBounds(schema)),
  ]);
  return {
    ...(withNullTypes(document) as OpenAPIObject),
    openapi: '3.1.0',
    components: { ...document.components, schemas: Object.fromEntries(rewritten) as never },
  };
}

/** Names of the schemas that bodies of requests refer to, directly or through others. */
function takenBy(paths: OpenAPIObject['paths'], schemas: Json): Set<string> {
  const taken = new Set<string>();
  const follow = (value: unknown): void => {
    for (const [name, member] of Object.entries(objectOf(value))) {
      const to = name === '$ref' && typeof member === 'string' ? member.split('/').at(-1) : null;
      if (to == null) follow(member);
      else if (!taken.has(to)) {
        taken.add(to);
        follow(schemas[to]);
      }
    }
  };
  for (const operations of Object.values(paths)) {
    for (const operation of Object.values(operations)) follow(objectOf(operation)['requestBody']);
  }
  return taken;
}

function withoutBounds(value: unknown): unknown {
  return rewritten(value, (schema) =>
    Object.fromEntries(Object.entries(schema).filter(([name]) => !BOUNDS.has(name))),
  );
}

/** `nullable` as a type, or as an alternative where a schema refers to another. */
function withNullTypes(value: unknown): unknown {
  return rewritten(value, ({ nullable, ...schema }) => {
    if (nullable !== true) return schema;
    const { allOf, type, ...rest } = schema;
    return Array.isArray(allOf)
      ? { ...rest, anyOf: [...(allOf as unknown[]), { type: 'null' }] }
      : { ...rest, type: [type, 'null'] };
  });
}

/** Every object within a value as `change` makes it, the inner ones first. */
function rewritten(value: unknown, change: (schema: Json) => Json): unknown {
  if (Array.isArray(value)) return value.map((item) => rewritten(item, change));
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(([name, member]) => [name, rewritten(member, change)]);
  return change(Object.fromEntries(members) as Json);
}

function objectOf(value: unknown): Json {
  return typeof value === 'object' && value !== null ? (value as Json) : {};
}
