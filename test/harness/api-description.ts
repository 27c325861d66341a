import { Ajv, type ValidateFunction } from 'ajv';
import { UUID } from './forms.js';

interface Content {
  readonly schema: object;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
}

export interface DescribedOperation {
  readonly operationId: string;
  readonly requestBody?: { readonly content: Readonly<Record<string, { schema: object }>> };
  readonly responses: Readonly<
    Record<
      string,
      {
        readonly headers?: Readonly<Record<string, unknown>>;
        readonly content?: { readonly 'application/json'?: Content };
      }
    >
  >;
}

/** The parts of an OpenAPI document that tests look at. */
export interface ApiDescription extends Record<string, unknown> {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, object>> };
}

/** Makes validators for schemas that refer to the components of a document. */
export function schemasOf(description: ApiDescription): (schema: object) => ValidateFunction {
  const ajv = new Ajv({
    strict: false,
    allErrors: true,
    formats: { uuid: UUID, 'date-time': (text: string) => !Number.isNaN(Date.parse(text)) },
  });
  const { components } = description;
  return (schema) => ajv.compile({ ...schema, components });
}
