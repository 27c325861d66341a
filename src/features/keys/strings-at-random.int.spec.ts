import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { HOME } from '../../../test/support/histories/keys.js';
import { DecisionRunner } from '../../event-sourcing/decisions/decision-runner.js';
import { EventRegistry } from '../../event-sourcing/event-log/event-registry.js';
import { SqliteEventLog } from '../../event-sourcing/event-log/sqlite/sqlite-event-log.js';
import { Refusal } from '../../kernel/errors.js';
import type { AccountFacts } from '../accounts/published/account-facts.js';
import { keyEvents, reservationEvents } from './domain/key.events.js';
import { isKey, key, type KeyState } from './domain/key.js';
import { liveString } from './domain/key-strings.js';
import type { KeyQuota } from './key-quota.js';
import {
  EndKeyString,
  EndKeyStringHandler,
  RotateKey,
  RotateKeyHandler,
} from './key-strings.commands.js';
import { CreateKey, CreateKeyHandler, DeleteKey, DeleteKeyHandler } from './keys.commands.js';
import { ModelOfStrings, type Step } from '../../../test/support/specs/model-of-strings.js';

const HASHES = Array.from('abcdefghij', (letter) => letter.repeat(64));

const account = fc.constantFrom(...Array<string>(19).fill('account-1'), 'account-2');
const keyHash = fc.constantFrom(...HASHES.slice(0, 2));
const anyHash = fc.constantFrom(...HASHES);
/** The append of a command at which the process ends, before it is stored or after. */
const crash = fc.oneof(
  { weight: 5, arbitrary: fc.constant(undefined) },
  fc.record({ append: fc.constantFrom(1, 2), isStored: fc.boolean() }),
);

const creation = fc.record({
  type: fc.constant('create' as const),
  account,
  key: keyHash,
  name: fc.constantFrom('one', 'one', 'other'),
  crash,
});
const rotation = fc.record({
  type: fc.constant('rotate' as const),
  account,
  key: keyHash,
  string: anyHash,
  grace: fc.constantFrom(0, 10, 100, 100),
  crash,
});
const end = fc.record({
  type: fc.constant('end' as const),
  account,
  key: keyHash,
  string: anyHash,
  crash,
});
const deletion = fc.record({ type: fc.constant('delete' as const), account, key: keyHash, crash });
const wait = fc.record({
  type: fc.constant('wait' as const),
  seconds: fc.constantFrom(1, 9, 10, 100),
});

const steps = fc.array(
  fc.oneof(
    { weight: 30, arbitrary: rotation },
    { weight: 12, arbitrary: creation },
    { weight: 10, arbitrary: end },
    { weight: 8, arbitrary: wait },
    { weight: 1, arbitrary: deletion },
  ),
  { maxLength: 80, size: 'max' },
);

/** The commands of keys on a log of their own. Any append can be the last of its process. */
class Service {
  readonly log = new SqliteEventLog(':memory:');
  now = new Date('2026-01-01T00:00:00.000Z');
  readonly #clock = { now: () => this.now };
  #runner = this.#newRunner();
  #crash: { readonly append: number; readonly isStored: boolean } | undefined;
  #appends = 0;

  constructor() {
    const append = this.log.append.bind(this.log);
    this.log.append = async (...args) => {
      this.#appends += 1;
      if (this.#crash?.append !== this.#appends) return append(...args);
      if (this.#crash.isStored) await append(...args);
      throw new Error('crash');
    };
  }

  /** Gives the outcome of a step: what it did, why it was refused, or that the process ended. */
  async take(step: Step): Promise<string> {
    if (step.type === 'wait') {
      this.now = new Date(this.now.getTime() + step.seconds * 1_000);
      return 'waited';
    }
    this.#crash = step.crash;
    this.#appends = 0;
    try {
      return await this.#execute(step);
    } catch (error) {
      if (error instanceof Refusal) return error.code;
      if (!(error instanceof Error) || error.message !== 'crash') throw error;
      this.#runner = this.#newRunner();
      return 'crash';
    } finally {
      this.#crash = undefined;
    }
  }

  state(hash: string): Promise<KeyState> {
    return this.#runner.load(key, hash);
  }

  async #execute(step: Exclude<Step, { type: 'wait' }>): Promise<string> {
    const caller = { accountId: step.account, defaultWorkspaceId: HOME, userId: 'ada' };
    const facts = {
      workspace: () => Promise.resolve({ id: HOME, restrictions: [], admits: () => true }),
      liveWorkspaces: () => Promise.resolve(new Set([HOME])),
    } as Partial<AccountFacts> as AccountFacts;
    const origin = {
      actor: { type: 'operator' as const, id: 'test', user_id: null },
      requestId: null,
    };
    switch (step.type) {
      case 'create': {
        const quota = { admit: () => Promise.resolve() } as Partial<KeyQuota> as KeyQuota;
        const handler = new CreateKeyHandler(this.#runner, facts, quota, this.#clock);
        const command = new CreateKey(caller, step.key, { name: step.name }, origin, false);
        return (await handler.execute(command)).isNew ? 'new' : 'same';
      }
      case 'rotate': {
        const string = { string_hash: step.string, grace_seconds: step.grace };
        const handler = new RotateKeyHandler(this.#runner, facts, this.#clock);
        const command = new RotateKey(caller, step.key, string, origin);
        return (await handler.execute(command)).isNew ? 'new' : 'same';
      }
      case 'end': {
        const command = new EndKeyString(step.account, step.key, step.string, origin);
        await new EndKeyStringHandler(this.#runner, this.#clock).execute(command);
        return 'done';
      }
      case 'delete': {
        const command = new DeleteKey(step.account, step.key, origin);
        await new DeleteKeyHandler(this.#runner).execute(command);
        return 'done';
      }
      default:
        return step satisfies never;
    }
  }

  #newRunner(): DecisionRunner {
    const registry = new EventRegistry([...keyEvents, ...reservationEvents]);
    return new DecisionRunner(this.log, registry, this.#clock);
  }
}

/** Gives the key that a string opens, as verification looks it up. */
async function openedBy(service: Service, hash: string): Promise<string | null> {
  const owner = await service.state(hash);
  const named = owner !== null && owner !== 'deleted' && !isKey(owner) ? owner.key_hash : hash;
  const opened = named === null ? null : await service.state(named);
  return isKey(opened) && liveString(opened, hash, service.now) ? opened.hash : null;
}

it('strings open what a model says after any history, with crashes at any append', async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (history) => {
      const service = new Service();
      const model = new ModelOfStrings();
      try {
        for (const step of history) {
          expect(await service.take(step)).toBe(model.take(step, service.now));
          const opened = await Promise.all(HASHES.map((hash) => openedBy(service, hash)));
          expect(opened).toEqual(HASHES.map((hash) => model.openedBy(hash, service.now)));
        }
      } finally {
        await service.log.close();
      }
    }),
    { numRuns: 100 },
  );
}, 60_000);
