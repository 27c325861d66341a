import { describe, expect, it } from '@jest/globals';
import { VERSION } from '../../src/kernel/version.js';
import { errorOf } from '../support/harness/error-of.js';
import { runningApp } from '../support/harness/running-app.js';

const service = runningApp();

const PATHS = [
  '/docs',
  '/docs/',
  '/docs/errors',
  '/docs/swagger-ui.css',
  '/docs/swagger-ui-bundle.js',
  '/docs/swagger-ui-init.js',
  '/openapi.json',
  '/openapi.yaml',
];

describe('the page of the API', () => {
  it('has our name, and loads everything from below its own address', async () => {
    const anonymous = service.client.as(undefined);
    const page = await anonymous.get('/docs');
    expect(page.status).toBe(200);
    expect(page.headers.get('content-type')).toMatch(/^text\/html/);
    expect(page.text).toContain('<title>Keyledger API</title>');
    const links = linksIn(page.text);
    expect(links.length).toBeGreaterThanOrEqual(3);
    for (const link of links) {
      expect(link).toMatch(/^\.\/docs\//);
      const asset = await anonymous.get(new URL(link, `${service.address}/docs`).pathname);
      expect({ link, status: asset.status }).toEqual({ link, status: 200 });
      expect(asset.text).not.toBe('');
    }
  });

  it('sends requests to the address that it was read from', async () => {
    const { text } = await service.client.get('/docs/swagger-ui-init.js');
    expect(text).toMatch(/"servers": \[\s*\{\s*"url": "\.\/"\s*\}\s*\]/);
  });

  it.each(['/docs/', '/docs//', '/docs/index.html'])(
    'is one page: %s leads to it',
    async (path) => {
      const { status, url } = await fetch(`${service.address}${path}`);
      expect({ status, url }).toEqual({ status: 200, url: `${service.address}/docs` });
    },
  );

  it('may load its own files and nothing else, nor be shown in a frame', async () => {
    for (const path of ['/docs', '/docs/swagger-ui-bundle.js', '/docs/unknown']) {
      const { headers } = await service.client.get(path);
      expect(headers.get('content-security-policy')?.split('; ')).toEqual([
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self' 'unsafe-inline'",
        "img-src 'self' data:",
        "connect-src 'self'",
        "frame-ancestors 'none'",
        "base-uri 'none'",
        "form-action 'none'",
      ]);
    }
  });

  it('holds nothing that its policy forbids: no script or handler is written into it', async () => {
    const { text } = await service.client.get('/docs');
    expect(text).not.toMatch(/<script(?![^>]*\ssrc=)[^>]*>|\son\w+=|<base|<form/i);
    for (const [, content = ''] of text.matchAll(/<script[^>]*>([^]*?)<\/script>/g)) {
      expect(content.trim()).toBe('');
    }
  });
});

describe('a service with PUBLIC_URL', () => {
  const named = runningApp({ PUBLIC_URL: 'https://keys.example.com/ledger/' });

  it('names that address as its server', async () => {
    const { body } = await named.client.get('/openapi.json');
    expect(body).toMatchObject({ servers: [{ url: 'https://keys.example.com/ledger' }] });
  });
});

describe('a service with DOCS=off', () => {
  const without = runningApp({ DOCS: 'off' });

  it('has neither the page nor the document', async () => {
    for (const path of PATHS) {
      const { reason } = errorOf(await without.client.get(path), 404);
      expect({ path, reason }).toEqual({ path, reason: 'route-unknown' });
    }
    expect(await without.client.get('/v1/keys')).toMatchObject({ status: 200 });
  });

  it('names no documents at its root', async () => {
    const { body } = await without.client.get('/');
    expect(body).toEqual({ name: 'Keyledger', version: VERSION });
  });
});

/** Gives the addresses of what a page loads or leads to. */
function linksIn(html: string): string[] {
  return [...html.matchAll(/(?:src|href)="([^"#]+)"/g)].map(([, link = '']) => link);
}

describe('every answer', () => {
  it('forbids browsers to guess its type and to send its address', async () => {
    const anonymous = service.client.as(undefined);
    const answers = [
      await service.client.get('/v1/keys'),
      await anonymous.get('/v1/keys'),
      await anonymous.get('/v1/unknown'),
      await service.client.send('PUT', '/v1/keys'),
      await service.client.post('/v1/keys', '{'),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 401, 404, 405, 400]);
    for (const { headers } of answers) {
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('referrer-policy')).toBe('no-referrer');
    }
    for (const path of ['/health/live', '/metrics', '/docs', '/openapi.json']) {
      const { headers } = await anonymous.get(path);
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('referrer-policy')).toBe('no-referrer');
    }
    errorOf(await anonymous.get('/docs/unknown'), 404);
  });
});

describe('the root', () => {
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
});

interface Documents {
  readonly docs: string;
  readonly openapi: string;
}
