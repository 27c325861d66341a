import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type AttackedService, startAttacked } from './attacked-service.js';
import { pump, type Shot, shoot } from './pump.js';
import { expectServed, seenDuring } from './victim.js';

const TOTAL = 10_000;
const AT_ONCE = 16;
const BODY_BYTES = 100_000;
const MOST_GROWTH = 10 * 1024 * 1024;

/**
 * A value that class-transformer takes for a class with ancestors. Each body has a different value.
 */
function asClass(number: number): object {
  return { prototype: { constructor: { [`n${number}`]: {} } }, __proto__: null };
}

function padded(number: number, body: object): string {
  const text = JSON.stringify({ n: number, padding: '', ...body });
  return text.replace('"padding":""', `"padding":"${'x'.repeat(BODY_BYTES - text.length)}"`);
}

/** Bodies by route. Each has objects with a `constructor`, in known and unknown fields. */
const BODIES: readonly (readonly [
  method: string,
  path: string,
  body: (hidden: object) => object,
])[] = [
  ['POST', '/v1/keys', (hidden) => ({ name: hidden })],
  ['POST', '/v1/keys', (hidden) => ({ name: 'k', external: hidden })],
  ['POST', '/v1/keys', (hidden) => ({ name: 'k', external: [hidden] })],
  ['POST', '/v1/keys', (hidden) => ({ name: 'k', external: { user: hidden } })],
  ['POST', '/v1/keys', (hidden) => ({ name: 'k', external: { user: 'u', ...hidden } })],
  ['POST', '/v1/keys', (hidden) => ({ name: 'k', limit: [hidden], expires_at: hidden })],
  ['PATCH', '/v1/keys/{hash}', (hidden) => ({ limit: hidden, disabled: hidden })],
  ['PATCH', '/v1/keys/{hash}', (hidden) => ({ name: 'k', ...hidden })],
  ['POST', '/v1/end-users', (hidden) => ({ user: hidden })],
  ['POST', '/v1/end-users', (hidden) => hidden],
  ['PATCH', '/v1/end-users/u', (hidden) => ({ is_active: hidden })],
  ['POST', '/v1/workspaces', (hidden) => ({ name: 'w', restrictions: [hidden] })],
  ['POST', '/v1/workspaces', (hidden) => ({ name: hidden, slug: hidden, description: hidden })],
  ['PATCH', '/v1/workspaces/default', (hidden) => ({ restrictions: hidden })],
  ['POST', '/v1/workspaces/default/members/add', (hidden) => ({ user_ids: [hidden] })],
  ['POST', '/v1/workspaces/default/members/remove', (hidden) => ({ user_ids: hidden })],
  ['POST', '/v1/keys/verify', (hidden) => ({ key: hidden })],
  ['POST', '/v1/keys/verify', (hidden) => ({ key: 'k', ...hidden })],
];

/** Objects that only a JSON parser can make, hidden in a body. */
const HIDDEN = [
  '{"constructor":{"prototype":{"constructor":{}}}}',
  '{"constructor":{}}',
  '{"constructor":null}',
  '{"constructor":"Object"}',
  '{"prototype":{"constructor":{"prototype":{}}}}',
  '{"__proto__":{"constructor":{"prototype":{}}}}',
  '{"hasOwnProperty":1,"toString":2,"valueOf":{"constructor":{}}}',
  '{"a":{"constructor":{"prototype":{"constructor":{}}}}}',
].map((text) => [text] as const);

describe('objects in bodies that call themselves of a class', () => {
  let service: AttackedService;
  let hash: string;

  beforeAll(async () => {
    service = await startAttacked({ LOG_LEVEL: 'error' });
    const made = await shoot(service.address, service.attacker.key, {
      method: 'POST',
      path: '/v1/keys',
      body: '{"name":"k"}',
    });
    ({ hash } = (JSON.parse(made.text) as { data: { hash: string } }).data);
    await shoot(service.address, service.attacker.key, {
      method: 'POST',
      path: '/v1/end-users',
      body: '{"user":"u"}',
    });
  });

  afterAll(() => service.end());

  it.each(HIDDEN)('are refused or passed over on every route: %s', async (text) => {
    for (const [method, path, bodyOf] of BODIES) {
      // Inserted as text, because an object literal cannot have an own property `__proto__`.
      const body = JSON.stringify(bodyOf({ HERE: 0 })).replaceAll('"HERE":0', text.slice(1, -1));
      for (const encoded of [false, true]) {
        const { status, text: answer } = await shoot(service.address, service.attacker.key, {
          method,
          path: path.replace('{hash}', hash),
          headers: encoded ? { 'content-encoding': 'gzip' } : {},
          body: encoded ? gzipSync(body) : body,
        });
        const about = `${method} ${path} ${body}: ${answer}`;
        expect({ about, isFine: [200, 201, 400, 403, 409].includes(status) }).toEqual({
          about,
          isFine: true,
        });
      }
    }
    expect(service.logged().filter(({ level }) => level !== undefined)).toEqual([]);
  });

  it(`leave nothing in memory: ${TOTAL} requests of ${BODY_BYTES} bytes`, async () => {
    const shotOf =
      (bodyFor: (number: number) => object) =>
      (number: number): Shot => ({
        method: 'POST',
        path: '/v1/keys',
        headers: { 'content-encoding': 'gzip' },
        body: gzipSync(padded(number, bodyFor(number)), { level: 1 }),
      });
    const harmless = shotOf(() => ({ name: 1, external: { user: 1 } }));
    const hostile = shotOf((number) => ({
      name: { constructor: asClass(number) },
      external: { constructor: asClass(number), user: { constructor: asClass(number) } },
      constructor: asClass(number),
    }));
    // The first requests fill caches, which do not count as a leak.
    const few = { total: 2_000, atOnce: AT_ONCE };
    const all = { total: TOTAL, atOnce: AT_ONCE };
    const besideHarmless = await seenDuring(service.victim, () =>
      pump(service.attacker, few, harmless),
    );
    const before = await service.memory();
    const answers = new Map<number, number>();
    const besideAttack = await seenDuring(service.victim, async () => {
      for (const [status, count] of await pump(service.attacker, all, hostile))
        answers.set(status, count);
    });
    const after = await service.memory();
    expect([...answers]).toEqual([[400, TOTAL]]);
    expect(after.heapUsed - before.heapUsed).toBeLessThan(MOST_GROWTH);
    expectServed(besideAttack, besideHarmless);
  }, 300_000);
});
