import { describe, expect, it } from '@jest/globals';
import { VERSION } from '../../src/kernel/version.js';
import { runningApp, startApp } from '../support/harness/running-app.js';

describe('the root', () => {
  const service = runningApp();

  it('says to anyone what this service is and where its documents are', async () => {
    const anonymous = service.client.as(undefined);
    const { status, headers, body } = await anonymous.get<Documents>('/');
    expect(status).toBe(200);
    expect(headers.get('content-type')).toMatch(/^application\/json/);
    expect(body).toEqual({
      name: 'Keyledger',
      version: VERSION,
      docs: 'docs',
      openapi: 'openapi.json',
    });
    for (const path of [body.docs, body.openapi]) {
      expect(await anonymous.get(`/${path}`)).toMatchObject({ status: 200 });
    }
  });

  it('answers HEAD with the headers of GET', async () => {
    const [get, head] = await Promise.all([
      service.client.get('/'),
      service.client.send('HEAD', '/'),
    ]);
    expect(head).toMatchObject({ status: 200, text: '' });
    for (const name of ['content-length', 'content-type']) {
      expect(head.headers.get(name)).toBe(get.headers.get(name));
    }
  });

  it('names no documents where there are none', async () => {
    const without = await startApp({ DOCS: 'off' });
    try {
      const { body } = await without.client.get('/');
      expect(body).toEqual({ name: 'Keyledger', version: VERSION });
    } finally {
      await without.stop();
    }
  });
});

interface Documents {
  readonly docs: string;
  readonly openapi: string;
}
