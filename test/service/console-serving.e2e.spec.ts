import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { errorOf } from '../support/harness/error-of.js';
import { sendRaw } from '../support/harness/raw-http.js';
import { stageOfAll } from '../support/harness/stage.js';
import type { ServiceProcess } from '../support/harness/service-process.js';

/** What the console may weigh before it shows its first page; it has no other files. */
const MOST_BYTES = 60_000;

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'none'",
];

describe('the files of the console', () => {
  const stage = stageOfAll();
  let service: ServiceProcess;

  beforeAll(async () => {
    service = await stage.start();
  });

  const get = (path: string) => service.client.as(undefined).get(path);

  async function assetPaths(): Promise<string[]> {
    const { text } = await get('/console/');
    return [...text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path = '']) => path);
  }

  it('are a page, which is asked for anew each time, and files that never change', async () => {
    const page = await get('/console/');
    expect(page.headers.get('content-type')).toMatch(/^text\/html/);
    expect(page.headers.get('cache-control')).toBe('no-cache');
    const assets = await assetPaths();
    expect(assets).toHaveLength(3);
    for (const path of assets) {
      expect(path).toMatch(/^\.\/assets\/[\w-]+\.(js|css|svg)$/);
      const { status, headers } = await get(`/console/${path}`);
      expect(status).toBe(200);
      expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    }
  });

  it('are not sent again to those who have them', async () => {
    const [script = ''] = await assetPaths();
    for (const path of ['/console/', `/console/${script}`]) {
      const etag = (await get(path)).headers.get('etag') ?? '';
      const request = `GET ${path} HTTP/1.1\r\nHost: a\r\nIf-None-Match: ${etag}\r\nConnection: close\r\n\r\n`;
      expect((await sendRaw(service.address, request)).status).toBe(304);
    }
  });

  it('are few bytes, which a proxy may compress', async () => {
    const bodies = ['/console/', ...(await assetPaths()).map((path) => `/console/${path}`)];
    const sizes = bodies.map(async (path) => gzipSync((await get(path)).text).length);
    const bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
    expect(bytes).toBeLessThan(MOST_BYTES);
  });

  it('may load their own files and call the API, and nothing else', async () => {
    const [script = ''] = await assetPaths();
    for (const path of ['/console/', `/console/${script}`, '/console/unknown']) {
      const { headers } = await get(path);
      expect(headers.get('content-security-policy')?.split('; ')).toEqual(POLICY);
      expect(headers.get('cross-origin-opener-policy')).toBe('same-origin');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('referrer-policy')).toBe('no-referrer');
    }
  });

  it('are below an address that ends with a slash, to which the one without it leads', async () => {
    const { status, headers } = await fetch(`${service.address}/console`, { redirect: 'manual' });
    expect({ status, location: headers.get('location') }).toEqual({
      status: 302,
      location: 'console/',
    });
  });

  it.each([
    ['/console/unknown', 404, 'route-unknown'],
    ['/console/assets/', 404, 'route-unknown'],
    ['/console/assets/..%2F..%2Fmain.js', 404, 'route-unknown'],
  ])('are nothing else: %s', async (path, status, reason) => {
    expect(errorOf(await get(path), status).reason).toBe(reason);
  });

  it('are read alone', async () => {
    const answer = await service.client.post('/console/', {});
    expect(errorOf(answer, 405).reason).toBe('method-not-allowed');
    expect(answer.headers.get('allow')).toBe('GET, HEAD');
  });

  it('are where the service says at its start', () => {
    expect(service.logged()).toContainEqual(
      expect.objectContaining({ msg: 'ready', console: `${service.address}/console/` }),
    );
  });
});

describe('the address of the console', () => {
  const stage = stageOfAll();

  it('is said as its callers know it', async () => {
    const service = await stage.start({ PUBLIC_URL: 'https://keys.example.com/a/b' });
    expect(service.logged()).toContainEqual(
      expect.objectContaining({ msg: 'ready', console: 'https://keys.example.com/a/b/console/' }),
    );
  });
});

describe('a service with CONSOLE=off', () => {
  const stage = stageOfAll();

  it('has no console, and says nothing of it', async () => {
    const service = await stage.start({ CONSOLE: 'off' });
    for (const path of ['/console', '/console/']) {
      expect(errorOf(await service.client.get(path), 404).reason).toBe('route-unknown');
    }
    expect(service.output()).not.toContain('console');
  });
});
