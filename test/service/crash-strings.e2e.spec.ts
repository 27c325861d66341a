import { describe, expect, it } from '@jest/globals';
import { mintKeyString } from '../../src/kernel/key-string.js';
import type { CreatedKey } from '../support/harness/api-keys.js';
import { type MadeString, madeString } from '../support/harness/made-strings.js';
import type { ServiceProcess } from '../support/harness/service-process.js';
import { stageOfAll } from '../support/harness/stage.js';

/** The number of rounds. `CRASH_ROUNDS=100` runs more than continuous integration has time for. */
const ROUNDS = Number(process.env.CRASH_ROUNDS ?? 3);
const KEYS = 24;
const ROUND_WITHIN_MS = 60_000;

const SETTINGS = { BOOTSTRAP_MANAGEMENT_KEY: mintKeyString('mk-v1-'), LOG_LEVEL: 'warn' };

/** A key, and a string that it is to get. */
interface Wanted {
  readonly hash: string;
  readonly string: MadeString;
}

describe('a service killed while keys get strings', () => {
  const stage = stageOfAll();

  function put({ client }: ServiceProcess, { hash, string }: Wanted): Promise<number> {
    const path = `/v1/keys/${hash}/strings/${string.hash}`;
    return client.put(path, { grace_seconds: 60 }).then(({ status }) => status);
  }

  it.each(Array.from({ length: ROUNDS }, (_, round) => round))(
    'finishes each by a repeat, once (round %i)',
    async (round) => {
      const killed = await stage.start(SETTINGS);
      const wanted: Wanted[] = [];
      for (let made = 0; made < KEYS; made += 1) {
        const { body } = await killed.client.post<CreatedKey>('/v1/keys', { name: 'a key' });
        wanted.push({ hash: body.data.hash, string: madeString() });
      }
      let left = 1 + ((round * 7) % KEYS);
      const asked = wanted.map((one) =>
        put(killed, one).then(
          (status) => {
            expect(status).toBe(201);
            if (--left === 0) killed.child.kill('SIGKILL');
          },
          () => undefined,
        ),
      );
      await Promise.all(asked);
      await killed.ended;
      const service = await stage.start(SETTINGS);
      try {
        for (const one of wanted) {
          const code = async (): Promise<unknown> => {
            const { key } = one.string;
            const { body } = await service.client.post('/v1/keys/verify', { key });
            return (body as { data: { code: string } }).data.code;
          };
          expect(['VALID', 'ROTATED', 'NOT_FOUND']).toContain(await code());
          const isWhole = (await code()) === 'VALID';
          expect(await put(service, one)).toBe(isWhole ? 200 : 201);
          expect(await put(service, one)).toBe(200);
          expect(await code()).toBe('VALID');
          const strings = await service.client.get(`/v1/keys/${one.hash}/strings`);
          const listed = [{ hash: one.hash }, { hash: one.string.hash, ends_at: null }];
          expect(strings.body).toMatchObject({ data: listed });
        }
      } finally {
        await service.stop('SIGKILL');
      }
    },
    ROUND_WITHIN_MS,
  );
});
