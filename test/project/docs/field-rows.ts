import type { JsonSchema } from '../golden-events/schema-record.js';

/** A field of an event, for readers. A nested field is named `outer.inner` or `outer[].inner`. */
export interface Field {
  readonly name: string;
  readonly type: string;
  readonly required: boolean;
  readonly nullable: boolean;
}

/** Gives the fields in the JSON Schema of an object, each followed by its nested fields. */
export function fieldsOf(object: JsonSchema, path = ''): Field[] {
  return Object.entries(object.properties ?? {}).flatMap(([key, property]) => {
    const name = path + key;
    const all = alternativesOf(property);
    const some = all.filter(({ type }) => type !== 'null');
    const field = {
      name,
      type: some.map(typeOf).join(' or '),
      required: object.required?.includes(key) ?? false,
      nullable: some.length < all.length,
    };
    return [field, ...some.flatMap((schema) => fieldsWithin(schema, name))];
  });
}

function fieldsWithin(schema: JsonSchema, name: string): Field[] {
  const items = itemsOf(schema).flatMap((item) => fieldsWithin(item, `${name}[]`));
  return [...fieldsOf(schema, `${name}.`), ...items];
}

/** A type with its rules, in the words of JSON Schema. */
function typeOf(schema: JsonSchema): string {
  const {
    type = 'anything',
    enum: values,
    items: _,
    properties: __,
    required: ___,
    ...rules
  } = schema;
  if (values) return values.map((value) => `\`${JSON.stringify(value)}\``).join(', ');
  const what = type === 'array' ? `array of ${itemsOf(schema).map(typeOf).join(' or ')}` : type;
  const told = Object.entries(rules).map(([rule, value]) => `${rule} ${JSON.stringify(value)}`);
  return [what, ...told].join(', ');
}

function itemsOf({ items = [] }: JsonSchema): JsonSchema[] {
  return [items].flat().flatMap(alternativesOf);
}

/** Splits a schema into its alternatives: a type with `null`, or any of several schemas. */
function alternativesOf(schema: JsonSchema | boolean): JsonSchema[] {
  if (typeof schema === 'boolean') return [{}];
  if (schema.anyOf) return schema.anyOf.flatMap(alternativesOf);
  const { type } = schema;
  return Array.isArray(type) ? type.map((one) => ({ ...schema, type: one })) : [schema];
}
