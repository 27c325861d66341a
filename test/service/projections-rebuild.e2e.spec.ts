import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { LEDGERS } from '../../src/host/ledgers/ledgers.js';
import { mintKeyString } from '../../src/kernel/key-string.js';
import { generationIn, namespaceOf } from '../../src/event-sourcing/projections/generations.js';
import { type Backends, freshBackends } from '../support/harness/backends.js';
import { keyledgerHere } from '../support/harness/command-in-process.js';
import { keyledger } from '../support/harness/command-line.js';
import { eventually } from '../support/harness/eventually.js';
import type { HttpClient } from '../support/harness/http-client.js';
import { onlyOn } from '../support/harness/only-on.js';
import { startService, type ServiceProcess } from '../support/harness/service-process.js';
import { WatchedAnswers } from '../support/harness/watched-answers.js';

const embeddedModels = onlyOn('embedded', 'a generation that is being filled is seen by its file');

/** The number of rounds. `REBUILD_ROUNDS=50` runs more than continuous integration has time for. */
const ROUNDS = Number(process.env.REBUILD_ROUNDS ?? 2);
const A_ROUND_MS = 40_000;
/** Concurrent callers, each with an account of its own that no other caller writes to. */
const CALLERS = 4;
/** Folding this many registrations takes long enough to kill a rebuild meanwhile. */
const USERS = 3_000;
/** The number of moments at which a rebuild is killed. */
const MOMENTS = 4;
const A_FEW_SECONDS_MS = 20_000;

interface StatusRow {
  readonly name: string;
  readonly generation: number;
  readonly position: string;
  readonly lag: number;
  readonly state: string;
}

const fileOf = (generation: number): string =>
  `${namespaceOf(LEDGERS.management.readSide, generation)}.db`;

describe('projections rebuild beside a running service', () => {
  let backends: Backends;
  let service: ServiceProcess;
  let client: HttpClient;

  async function begin(): Promise<void> {
    backends = await freshBackends();
    const key = mintKeyString('mk-v1-');
    service = await startService({ ...backends.settings, BOOTSTRAP_MANAGEMENT_KEY: key });
    client = service.client;
  }

  async function end(): Promise<void> {
    await service.stop('SIGKILL');
    await backends.dispose();
  }

  async function status(): Promise<StatusRow | undefined> {
    const { json } = await keyledgerHere(backends.settings, 'projections', 'status', '--json');
    return (json as { data: StatusRow[] }).data[0];
  }

  async function register(count: number): Promise<void> {
    for (let from = 0; from < count; from += 50) {
      const batch = Array.from({ length: 50 }, (_, index) => `user-${from + index}`);
      await Promise.all(batch.map((user) => client.post('/v1/end-users', { user })));
    }
  }

  /** Counts the switches to a new generation in the service's log. */
  function timesGoneOver(): number {
    const told = 'read models of management are read from';
    return service.logged().filter(({ msg }) => String(msg).startsWith(told)).length;
  }

  /** Gives a client of a new account with one end user. */
  async function newcomer(): Promise<HttpClient> {
    const { json } = await keyledgerHere(
      backends.settings,
      ...['accounts', 'create', '--name', 'Acme', '--owner', 'ada', '--json'],
    );
    const caller = client.as((json as { management_key: string }).management_key);
    await caller.post('/v1/end-users', { user: 'ada' });
    return caller;
  }

  describe('that comes to its end', () => {
    beforeEach(begin);
    afterEach(end);

    it(
      'swaps under load: no answer is wrong, older than one before, or refused',
      async () => {
        await register(500);
        let rebuilding = true;
        const others = await Promise.all(Array.from({ length: CALLERS - 1 }, newcomer));
        const watched = [client, ...others].map((caller) => new WatchedAnswers(caller));
        const watching = Promise.all(watched.map((each) => each.watch(() => rebuilding)));
        for (let round = 1; round <= ROUNDS; round++) {
          const generation = (await status())?.generation ?? Infinity;
          const rebuilt = await keyledger(
            backends.settings,
            ...['projections', 'rebuild', '--json'],
          );
          expect(rebuilt).toMatchObject({ code: 0, stderr: '' });
          const number: unknown = expect.any(Number);
          const seconds = number;
          expect(rebuilt.json).toEqual({
            data: [
              { name: 'management', events: number, seconds, events_per_second: number },
              { name: 'usage', events: 0, seconds, events_per_second: 0 },
            ],
          });
          const swappedAt = (await status())?.position ?? '';
          // Only the service writes to the generation that serves now.
          await eventually(
            'the service is in the new generation',
            async () => {
              const now = await status();
              return now && now.generation > generation && now.position > swappedAt;
            },
            A_FEW_SECONDS_MS,
          );
          await eventually('it says so', () => timesGoneOver() === round, A_FEW_SECONDS_MS);
        }
        rebuilding = false;
        await watching;
        for (const { faults, rounds } of watched) {
          expect(faults).toEqual([]);
          expect(rounds).toBeGreaterThan(ROUNDS);
        }
        expect(service.logged().filter(({ level }) => Number(level) >= 50)).toEqual([]);
        const verified = await keyledgerHere(
          backends.settings,
          ...['projections', 'verify', '--json'],
        );
        expect(verified).toMatchObject({ code: 0 });
      },
      ROUNDS * A_ROUND_MS,
    );
  });

  embeddedModels.describe('that does not', () => {
    beforeAll(async () => {
      await begin();
      await register(USERS);
    }, A_ROUND_MS);
    afterAll(end);

    embeddedModels.it.each(['SIGKILL', 'SIGINT'] as const)(
      'may be ended by %s at any moment: the old generation serves on',
      async (signal) => {
        const before = await status();
        const cli = spawn(process.execPath, ['dist/cli.js', 'projections', 'rebuild'], {
          env: { PATH: process.env.PATH, ...backends.settings },
          stdio: 'ignore',
        });
        const ended = once(cli, 'exit');
        const files = (): string[] => readdirSync(join(backends.dataDir, 'read-models'));
        const filled = fileOf((before?.generation ?? 0) + 1);
        await eventually(
          'a generation is being filled',
          () => files().includes(filled),
          A_FEW_SECONDS_MS,
        );
        cli.kill(signal);
        expect(await ended).toEqual(signal === 'SIGKILL' ? [null, signal] : [1, null]);
        expect(await status()).toMatchObject({
          generation: before?.generation,
          lag: 0,
          // The rest of a killed rebuild is dropped when it has not changed for ten minutes.
          state: signal === 'SIGKILL' ? 'filling' : 'live',
        });
        expect(files().includes(filled)).toBe(signal === 'SIGKILL');
        expect(await client.get('/v1/end-users')).toMatchObject({ body: { total_count: USERS } });
        const again = await keyledgerHere(
          backends.settings,
          ...['projections', 'rebuild', 'management'],
        );
        expect(again).toMatchObject({ code: 0, stderr: '' });
      },
      A_ROUND_MS,
    );

    embeddedModels.it(
      'may be killed early, late and in between, and one generation serves',
      async () => {
        const generation = async (): Promise<number> => (await status())?.generation ?? 0;
        /** The last number of a generation. No number is used twice. */
        let last = await generation();
        const files = (): string[] =>
          readdirSync(join(backends.dataDir, 'read-models')).filter((file) =>
            generationIn(file.replace(/\.db$/, '')),
          );
        /**
         * @param after the milliseconds from the begin of the filling to the kill; absent: no kill.
         * @returns how long it ran.
         */
        const rebuild = async (after?: number): Promise<number> => {
          last += 1;
          const filled = fileOf(last);
          const args = ['dist/cli.js', 'projections', 'rebuild', 'management'];
          const env = { PATH: process.env.PATH, ...backends.settings };
          const cli = spawn(process.execPath, args, { env, stdio: 'ignore' });
          const ended = once(cli, 'exit');
          await eventually('it fills', () => files().includes(filled), A_FEW_SECONDS_MS);
          const began = performance.now();
          const killing =
            after === undefined ? undefined : setTimeout(() => cli.kill('SIGKILL'), after);
          await ended;
          clearTimeout(killing);
          return performance.now() - began;
        };
        const whole = await rebuild();
        const served = [last - 1, last];
        for (let part = 0; part < MOMENTS; part++) {
          const before = await generation();
          await rebuild((whole * part) / MOMENTS);
          const serving = await generation();
          expect(serving === before || serving === last).toBe(true);
          if (serving === last) served.push(serving);
          expect(await client.get('/v1/end-users')).toMatchObject({ body: { total_count: USERS } });
        }
        const verified = await keyledgerHere(backends.settings, 'projections', 'verify');
        expect(verified).toMatchObject({ code: 0 });
        const serving = await generation();
        await eventually(
          'of those that served one is left',
          () => served.every((one) => one === serving || !files().includes(fileOf(one))),
          A_ROUND_MS,
        );
      },
      3 * A_ROUND_MS,
    );
  });
});
