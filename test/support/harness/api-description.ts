import { Ajv, type ValidateFunction } from 'ajv';
import { ERROR_TABLE } from '../../../src/edge/http/answers/error-table.js';
import { UUID } from './forms.js';

interface Content {
  readonly schema: object;
  readonly example?: unknown;
}

export interface DescribedParameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly schema: {
    readonly default?: unknown;
    readonly minimum?: number;
    readonly maximum?: number;
  };
}

export interface DescribedOperation {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly parameters: readonly DescribedParameter[];
  readonly requestBody?: {
    readonly required?: boolean;
    readonly content: Readonly<Record<string, { schema: object }>>;
  };
  readonly responses: Readonly<
    Record<
      string,
      {
        readonly description: string;
        readonly content?: { readonly 'application/json'?: Content };
      }
    >
  >;
}

/** The parts of an OpenAPI document that tests read. */
export interface ApiDescription extends Record<string, unknown> {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, object>> };
}

/** Finds the operation of a request such as `GET /v1/keys/abc?limit=1`. */
export function operationOf(
  { paths }: ApiDescription,
  request: string,
): DescribedOperation | undefined {
  const [method = '', target = ''] = request.split(/[ ?]/);
  const found = Object.entries(paths).find(
    ([path, operations]) =>
      method.toLowerCase() in operations &&
      new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`).test(target),
  );
  return found?.[1][method.toLowerCase()];
}

/** Gives the reasons of errors that a description names, each with the status before it. */
export function reasonsIn(words = ''): { readonly reason: string; readonly status: number }[] {
  let status = 0;
  return [...words.matchAll(/\b(\d{3})\b|`([a-z-]+)`/g)].flatMap(([, number, reason = '']) => {
    if (number !== undefined) status = Number(number);
    return reason in ERROR_TABLE ? [{ reason, status }] : [];
  });
}

/**
 * Says `nullable` in JSON Schema, as clients read it: null is a value besides those of the rest of
 * the schema.
 */
function withNull(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withNull);
  if (typeof schema !== 'object' || schema === null) return schema;
  const { nullable, ...rest } = Object.fromEntries(
    Object.entries(schema).map(([name, value]) => [name, withNull(value)]),
  );
  return nullable === true ? { anyOf: [rest, { type: 'null' }] } : rest;
}

/**
 * Makes validators for schemas that refer to the components of a document, each once, as a
 * compilation takes long.
 */
export function schemasOf(description: ApiDescription): (schema: object) => ValidateFunction {
  const ajv = new Ajv({
    strict: false,
    allErrors: true,
    formats: {
      uuid: UUID,
      date: /^\d{4}-\d{2}-\d{2}$/,
      'date-time': (text: string) => !Number.isNaN(Date.parse(text)),
    },
  });
  const components = withNull(description.components);
  const validators = new Map<string, ValidateFunction>();
  return (schema) => {
    const name = JSON.stringify(schema);
    const validator =
      validators.get(name) ?? ajv.compile({ ...(withNull(schema) as object), components });
    validators.set(name, validator);
    return validator;
  };
}

export type Json = Readonly<Record<string, unknown>>;

/** Gives every object within a value, but for the examples, which are no schemas. */
export function objectsIn(value: unknown): Json[] {
  if (Array.isArray(value)) return value.flatMap(objectsIn);
  if (typeof value !== 'object' || value === null) return [];
  const members = Object.entries(value).filter(([name]) => !/^examples?$/.test(name));
  return [value as Json, ...members.flatMap(([, member]) => objectsIn(member))];
}
