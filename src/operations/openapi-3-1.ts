import type { OpenAPIObject } from '@nestjs/swagger';

type Json = Readonly<Record<string, unknown>>;

/** The keywords that bound values in requests. Answers may have older values, which earlier releases did not bound. */
const BOUNDS = new Set(['minLength', 'maxLength', 'pattern', 'minimum', 'minItems', 'maxItems']);

/**
 * Converts the generated document from OpenAPI 3.0 to 3.1, in which null is a type. Schemas that only answers use lose
 * the bounds that their fields have in requests.
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

/** Returns the names of the schemas that request bodies refer to, directly or through other schemas. */
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

/** Replaces `nullable` by the type null, or, for a reference, by an alternative of the type null. */
function withNullTypes(value: unknown): unknown {
  return rewritten(value, ({ nullable, ...schema }) => {
    if (nullable !== true) return schema;
    const { allOf, type, ...rest } = schema;
    return Array.isArray(allOf)
      ? { ...rest, anyOf: [...(allOf as unknown[]), { type: 'null' }] }
      : { ...rest, type: [type, 'null'] };
  });
}

/** Applies `change` to every object within a value, the inner objects first. */
function rewritten(value: unknown, change: (schema: Json) => Json): unknown {
  if (Array.isArray(value)) return value.map((item) => rewritten(item, change));
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(([name, member]) => [name, rewritten(member, change)]);
  return change(Object.fromEntries(members) as Json);
}

function objectOf(value: unknown): Json {
  return typeof value === 'object' && value !== null ? (value as Json) : {};
}
