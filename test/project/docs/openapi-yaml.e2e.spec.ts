import { describe, expect, it } from '@jest/globals';
import { runningApp } from '../../support/harness/running-app.js';
import { read } from './markdown.js';

describe('docs/openapi.yaml', () => {
  const service = runningApp();

  it('is what the service serves (`npm run openapi` writes it)', async () => {
    const { text } = await service.client.get('/openapi.yaml');
    expect(read('docs/openapi.yaml')).toBe(text);
  });
});
