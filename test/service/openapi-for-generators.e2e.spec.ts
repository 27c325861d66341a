import { beforeAll, describe, expect, it } from '@jest/globals';
import type { ApiDescription } from '../support/harness/api-description.js';
import { runningApp } from '../support/harness/running-app.js';

type Json = Readonly<Record<string, unknown>>;

/** Legal OpenAPI that generators of clients drop, refuse or turn into code that does not run. */
describe('the OpenAPI document, for generators of clients', () => {
  const service = runningApp();
  let description: ApiDescription;

  beforeAll(async () => {
    description = (await service.client.get<ApiDescription>('/openapi.json')).body;
  });

  it('composes no schemas, as fields beside a composition are dropped', () => {
    const composed = objectsIn(description).filter(
      (schema) => 'oneOf' in schema || 'anyOf' in schema || 'not' in schema,
    );
    expect(composed).toEqual([]);
    const referring = objectsIn(description).flatMap(({ allOf }) =>
      allOf === undefined ? [] : [allOf],
    );
    for (const members of referring) expect(members).toEqual([{ $ref: expect.any(String) }]);
  });

  it('has no type beside a reference that may be null, as the null is forgotten', () => {
    const references = objectsIn(description).filter((schema) => 'allOf' in schema);
    expect(references.filter(({ nullable }) => nullable === true).length).toBeGreaterThan(3);
    expect(references.filter((schema) => 'type' in schema)).toEqual([]);
  });

  it('has words alone in its enumerations, as flags and nulls break the code', () => {
    const lists = objectsIn(description).flatMap((schema) =>
      Array.isArray(schema['enum']) ? [schema['enum'] as unknown[]] : [],
    );
    expect(lists.length).toBeGreaterThan(5);
    for (const word of lists.flat()) expect(word).toEqual(expect.any(String));
  });

  it('has no licence without an address, and no contact', () => {
    expect(description).not.toHaveProperty('info.license');
    expect(description).not.toHaveProperty('info.contact');
  });

  it('asks for times in the one form that the service takes, which a client with a type for times would not send', () => {
    const requests = Object.values(description.paths)
      .flatMap((operations) => Object.values(operations))
      .flatMap(({ parameters, requestBody }) => taken([parameters, requestBody]));
    const times = requests.filter(({ pattern }) => String(pattern).includes('T'));
    expect(times.map(({ format }) => format)).toEqual(times.map(() => undefined));
    expect(times.length).toBeGreaterThanOrEqual(3);
    expect(requests.filter(({ format }) => format === 'date-time')).toEqual([]);
  });

  /** Gives the objects in a value and in the components to which it refers. */
  function taken(value: unknown): Json[] {
    return objectsIn(value).flatMap((one) => {
      const { $ref: reference } = one;
      if (typeof reference !== 'string') return [one];
      return taken(description.components.schemas[reference.split('/').at(-1) ?? '']);
    });
  }
});

/** Gives every object within a value, but for the examples, which are no schemas. */
function objectsIn(value: unknown): Json[] {
  if (Array.isArray(value)) return value.flatMap(objectsIn);
  if (typeof value !== 'object' || value === null) return [];
  const members = Object.entries(value).filter(([name]) => !/^examples?$/.test(name));
  return [value as Json, ...members.flatMap(([, member]) => objectsIn(member))];
}
