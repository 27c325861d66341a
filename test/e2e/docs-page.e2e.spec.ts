import { describe, expect, it } from '@jest/globals';
import { errorOf } from '../harness/error-of.js';
import { runningApp, startApp } from '../harness/running-app.js';
import { sendRaw } from '../harness/raw-http.js';

const PATHS = [
  '/docs',
  '/docs/page.css',
  '/docs/swagger-ui.css',
  '/docs/swagger-ui-bundle.js',
  '/docs/page.js',
  '/docs/mark.svg',
  '/openapi.json',
  '/openapi.yaml',
];

describe('the page of the API', () => {
  const service = runningApp();

  it('loads everything from the service itself', async () => {
    const anonymous = service.client.as(undefined);
    const page = await anonymous.get('/docs');
    expect(page.status).toBe(200);
    expect(page.headers.get('content-type')).toMatch(/^text\/html/);
    const links = [...page.text.matchAll(/(?:src|href)="([^"#]+)"/g)].map(([, link = '']) => link);
    expect(links.length).toBeGreaterThanOrEqual(3);
    for (const link of links) {
      const { origin, pathname } = new URL(link, `${service.address}/docs`);
      expect({ link, origin }).toEqual({ link, origin: service.address });
      const asset = await anonymous.get(pathname);
      expect({ link, status: asset.status }).toEqual({ link, status: 200 });
      expect(asset.text).not.toBe('');
    }
  });

  it.each(['/docs//', '/docs/index.html', '/docs/swagger-initializer.js'])(
    'does not have the page of another API at %s',
    async (path) => {
      errorOf(await service.client.get(path), 404);
    },
  );

  it('may load its own files and nothing else, nor be shown in a frame', async () => {
    for (const path of ['/docs', '/docs/swagger-ui-bundle.js', '/docs/unknown']) {
      const { headers } = await service.client.get(path);
      expect(headers.get('content-security-policy')?.split('; ')).toEqual([
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "connect-src 'self'",
        "frame-ancestors 'none'",
        "base-uri 'none'",
        "form-action 'none'",
      ]);
    }
  });

  it('holds nothing that its policy forbids: no script, style or handler is written into it', async () => {
    const { text } = await service.client.get('/docs');
    expect(text).not.toMatch(/<script(?![^>]*\ssrc=)[^>]*>|<style|\sstyle=|\son\w+=|<base|<form/i);
    for (const [, content] of text.matchAll(/<script[^>]*>([^]*?)<\/script>/g)) {
      expect(content).toBe('');
    }
    const loaded = [...text.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, link]) => link);
    expect(loaded.every((link) => /^\/(?:docs|openapi)\b/.test(link ?? ''))).toBe(true);
    const { text: script } = await service.client.get('/docs/page.js');
    expect(script).toContain("fetch('/openapi.json')");
    expect(script).not.toMatch(/https?:/);
  });

  it.each(PATHS)(
    'need not be sent twice: %s has a tag and says how long it keeps',
    async (path) => {
      const { status, headers } = await service.client.get(path);
      const tag = headers.get('etag') ?? '';
      expect({ status, tag }).toEqual({ status: 200, tag: expect.stringMatching(/^"[\w-]{43}"$/) });
      expect(headers.get('cache-control')).toMatch(/^(?:no-cache|public, max-age=3600)$/);
      const lines = [
        `GET ${path} HTTP/1.1`,
        'Host: a',
        'Connection: close',
        `If-None-Match: ${tag}`,
      ];
      const again = await sendRaw(service.address, `${lines.join('\r\n')}\r\n\r\n`);
      expect(again).toMatchObject({ status: 304, text: '' });
    },
  );
});

describe('a service with DOCS=off', () => {
  it('has neither the page nor the document', async () => {
    const without = await startApp({ DOCS: 'off' });
    try {
      for (const path of [...PATHS, '/docs/']) {
        const { reason } = (await without.client.get<Refused>(path)).body.error.metadata;
        expect({ path, reason }).toEqual({ path, reason: 'route-unknown' });
      }
      expect(await without.client.get('/v1/keys')).toMatchObject({ status: 200 });
    } finally {
      await without.stop();
    }
  });
});

interface Refused {
  readonly error: { readonly metadata: { readonly reason: string } };
}

describe('every answer', () => {
  const service = runningApp();

  it('forbids browsers to guess its type and to send its address', async () => {
    const anonymous = service.client.as(undefined);
    const answers = [
      await service.client.get('/v1/keys'),
      await anonymous.get('/v1/keys'),
      await anonymous.get('/v1/unknown'),
      await service.client.send('PUT', '/v1/keys'),
      await service.client.post('/v1/keys', '{'),
      await sendRaw(service.address, 'no HTTP at all\r\n\r\n'),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 401, 404, 405, 400, 400]);
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
