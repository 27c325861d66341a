import { afterAll, beforeAll, describe, it } from '@jest/globals';
import { hashKeyString, mintKeyString } from '../../../src/kernel/key-string.js';
import { SimulatorProcess } from '../../support/backends/eventstoredb-simulator/simulator-process.js';
import { describeOnMongoDb } from '../../support/backends/on-mongodb.js';
import { type AttackedService, startAttacked } from './attacked-service.js';
import { pump, type Shot, shoot } from './pump.js';
import { expectServed, expectServedWithin, type Seen, seenInTurns, type Victim } from './victim.js';

/** The number of requests that one core sends in a second or two, with one key in each. */
const SINGLE = { total: 6_000, atOnce: 64 };
/** The p99 that the stormed account may see for its own keys in use. */
const MOST_OWN_P99_MS = 500;

describeOnMongoDb('a storm of keys and end users that nobody has, on a log server', (store) => {
  let log: SimulatorProcess;
  let service: AttackedService;
  /** Keys in use of the stormed account and of another account. */
  let keysInUse: { readonly own: string; readonly other: string };

  beforeAll(async () => {
    log = await SimulatorProcess.start({ pace: 'real' });
    service = await startAttacked({
      EVENTSTOREDB_CONNECTION_STRING: log.connectionString,
      MONGODB_URI: store().freshUri(),
      LOG_LEVEL: 'error',
    });
    const keyOf = async (managementKey: string): Promise<string> => {
      const shot = { method: 'POST', path: '/v1/keys', body: '{"name":"in use"}' };
      const { text } = await shoot(service.address, managementKey, shot);
      return (JSON.parse(text) as { key: string }).key;
    };
    keysInUse = {
      own: await keyOf(service.attacker.key),
      other: await keyOf(service.victim.key),
    };
    // With a budget, the spending of each end user is read too.
    const budget = { method: 'PUT', path: '/v1/end-user-budget', body: '{"limit":1}' };
    await shoot(service.address, service.attacker.key, budget);
  }, 60_000);

  afterAll(async () => {
    await service.end();
    await log.stop();
  });

  const unknown = (): string => mintKeyString('sk-v1-');
  const known = (): string => keysInUse.own;

  const sendSingle =
    (shotOf: (key: string) => Shot) =>
    async (key: () => string): Promise<number> => {
      await pump(service.attacker, SINGLE, () => shotOf(key()));
      return SINGLE.total;
    };

  const storms: Readonly<Record<string, (key: () => string) => Promise<number>>> = {
    'one in each verification': sendSingle((key) => ({
      method: 'POST',
      path: '/v1/keys/verify',
      body: JSON.stringify({ key }),
    })),
    'one in each request of a gateway': sendSingle((key) => ({
      path: '/v1/authorize',
      headers: {
        authorization: `Bearer ${key}`,
        'keyledger-authorization': `Bearer ${service.attacker.key}`,
      },
    })),
    'one in place of the key of a gateway': sendSingle((key) => ({
      path: '/v1/authorize',
      headers: {
        authorization: `Bearer ${known()}`,
        'keyledger-authorization': `Bearer ${key === known() ? service.attacker.key : mintKeyString('mk-v1-')}`,
      },
    })),
    'as the end user in each verification': sendSingle((key) => ({
      method: 'POST',
      path: '/v1/keys/verify',
      body: JSON.stringify({ key: known(), user: hashKeyString(key) }),
    })),
    'as the end user in each request of a gateway': sendSingle((key) => ({
      path: '/v1/authorize/',
      headers: {
        authorization: `Bearer ${known()}`,
        'keyledger-authorization': `Bearer ${service.attacker.key}`,
        'keyledger-end-user': hashKeyString(key),
      },
    })),
  };

  /**
   * Measures a victim that verifies beside a storm, and beside the same number of questions about a
   * key in use.
   */
  async function besideStorm(
    victim: Victim,
    storm: (key: () => string) => Promise<number>,
  ): Promise<{ readonly harmless: Seen; readonly attack: Seen }> {
    return seenInTurns(victim, {
      harmless: () => storm(known),
      attack: async () => {
        const { streamReads: before } = await log.counts();
        const began = performance.now();
        const keys = await storm(unknown);
        const seconds = (performance.now() - began) / 1_000;
        const asked = (await log.counts()).streamReads - before;
        process.stdout.write(
          `${Math.round(keys / seconds)} unknown/s: ${Math.round(asked / seconds)} reads/s of the log\n`,
        );
      },
    });
  }

  describe.each(Object.keys(storms))('%s', (name) => {
    it.each([
      ['another account', 'victim', 'other'],
      ['the account itself', 'attacker', 'own'],
    ] as const)(
      '%s verifies keys in use',
      async (_, who, whose) => {
        const storm = storms[name];
        if (!storm) throw new Error('there is no such storm');
        const victim = { ...service[who], verifies: keysInUse[whose] };
        const { attack, harmless } = await besideStorm(victim, storm);
        // An account that storms itself shares its turns with the storm.
        if (whose === 'own') expectServedWithin(MOST_OWN_P99_MS, attack, harmless);
        else expectServed(attack, harmless);
      },
      // Invented keys wait for their turn, so a storm takes a minute on two cores.
      420_000,
    );
  });
});
