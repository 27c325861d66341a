import { beforeAll, describe, expect, it } from '@jest/globals';
import type { ApiDescription } from '../support/harness/api-description.js';
import { runningApp } from '../support/harness/running-app.js';

describe('the words of the OpenAPI document', () => {
  const service = runningApp();
  let description: ApiDescription;

  beforeAll(async () => {
    description = (await service.client.get<ApiDescription>('/openapi.json')).body;
  });

  it('describes every parameter, and every property of every schema that is no schema of its own', () => {
    const undescribed: string[] = [];
    const look = (value: unknown, path: string): void => {
      if (typeof value !== 'object' || value === null) return;
      const { properties, parameters } = value as Readonly<Record<string, object | undefined>>;
      for (const [name, said] of Object.entries({ ...properties, ...parameters })) {
        const { description: words, name: called, $ref } = said as Readonly<Record<string, string>>;
        if (!words && !$ref) undescribed.push(`${path} ${called ?? name}`);
      }
      for (const [name, inner] of Object.entries(value)) {
        look(inner, `${path}/${name}`);
      }
    };
    look(description.paths, 'paths');
    look(description.components, 'components');
    expect(undescribed).toEqual([]);
  });
});
