import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { DecisionRunner } from '../../../event-sourcing/decisions/decision-runner.js';
import { FairSemaphore } from '../../../event-sourcing/waiting/fair-semaphore.js';
import {
  always,
  type Presence,
  type WhilePresent,
} from '../../../event-sourcing/waiting/presence.js';
import type { EventLog, RecordedEvent } from '../../../event-sourcing/event-log/event-log.js';
import { MANAGEMENT } from '../../../event-sourcing/ledger.js';
import { LogFollower } from '../../../event-sourcing/event-log/log-follower.js';
import { ReadModels } from '../../../event-sourcing/projections/read-models.js';
import { HeardPositions } from '../../../event-sourcing/waiting/heard-positions.js';
import { Denied, Unavailable } from '../../../kernel/errors.js';
import { isEventMetadata } from '../../../kernel/metadata.js';
import type { AttributedKey, KeysByString } from '../../keys/published/keys-by-string.port.js';
import {
  SPENT_TOWARD_LIMITS,
  type SpentTowardLimits,
} from '../../keys/published/spent-toward-limits.port.js';
import { EndUserMemory } from './end-user-memory.js';
import { type Freshness, FRESHNESS, freshSince } from './freshness.js';
import { type KeyBudgets, KnownBudgets } from './known-budgets.js';
import { KeyReader } from './key-reader.js';
import {
  hasString,
  type KnownApiKey,
  type KnownKey,
  KnownKeys,
  type KnownString,
  type LookUpUnderWay,
} from './known-keys.js';

/** How long a look-up waits for a check of the log before it reads the key from the log. */
const LOOK_MS = 250;
/**
 * The maximum numbers of concurrent reads of keys that are not in memory (ADR 24): for callers
 * whose management key is known, and for strings that nobody vouches for.
 */
const COLD_AT_ONCE = { known: 16, unknown: 4 };

/** The result of a look-up. A revoked management key stays revoked, so memory does not hold it. */
export type Found = KnownKey | 'revoked' | null;

type Read = Found | KnownString;

/** Who asks for a key. Callers take turns with reads, and unknown ones have places of their own. */
export interface Asker {
  readonly places: keyof typeof COLD_AT_ONCE;
  /** The account, or the address of an unknown caller. */
  readonly turn: string;
  readonly whilePresent: WhilePresent;
}

/** A read of a key from the log. The requests of an asker for the same key share it. */
interface Reading {
  readonly found: Promise<Read>;
  /** Returns undefined while the read waits for its turn. */
  readonly underWay: () => LookUpUnderWay | undefined;
  readonly askers: Askers;
}

/** The presence of those who share a read: they have left when all of them have. */
class Askers implements Presence {
  readonly #all: Presence[] = [];

  get hasLeft(): boolean {
    return this.#all.every(({ hasLeft }) => hasLeft);
  }

  add(asker: Presence): void {
    this.#all.push(asker);
  }
}

/** Finds keys in memory, or otherwise in the log (docs/api.md 12.3). */
@Injectable()
export class KeyMemory implements KeysByString, OnApplicationShutdown {
  readonly #known: KnownKeys;
  readonly #follower: LogFollower;
  readonly #cold = {
    known: new FairSemaphore(COLD_AT_ONCE.known),
    unknown: new FairSemaphore(COLD_AT_ONCE.unknown),
  };
  readonly #readings = new Map<string, Reading>();

  constructor(
    private readonly reader: KeyReader,
    @Inject(MANAGEMENT.log) log: EventLog,
    @Inject(FRESHNESS) private readonly freshness: Freshness,
    @Inject(MANAGEMENT.models) { lag }: ReadModels,
    @Inject(MANAGEMENT.runner) runner: DecisionRunner,
    heard: HeardPositions,
    endUsers: EndUserMemory,
    @Inject(SPENT_TOWARD_LIMITS) { limits }: Pick<SpentTowardLimits, 'limits'>,
  ) {
    this.#known = new KnownKeys(new KnownBudgets(limits, endUsers));
    const apply = (event: Pick<RecordedEvent, 'stream' | 'type' | 'data'>): void => {
      this.#known.apply(event);
      endUsers.apply(event);
    };
    const forgetAll = (): void => {
      this.#known.forgetAll();
      endUsers.forgetAll();
    };
    this.#follower = new LogFollower(
      log,
      { apply, forgetAll },
      {
        onEnd: (end) => lag.noteEnd(end),
        onEvent: ({ metadata, position }) => {
          // Another program may have written an event of any form.
          if (isEventMetadata(metadata)) heard.note(metadata.account_id, position);
        },
      },
    );
    runner.onAppended(apply);
  }

  get ageMs(): number {
    return this.#follower.ageMs;
  }

  start(): void {
    this.#follower.start();
  }

  onApplicationShutdown(): void {
    this.#follower.stop();
  }

  /** Ensures that memory is young enough for a verification. @throws Unavailable if not known. */
  ensureFresh(askedAt: number): Promise<void> {
    return this.#follower.catchUpTo(freshSince(askedAt, this.freshness));
  }

  /** Whether the keys in memory reflect what was stored before a moment. If not, ask the log. */
  async reflects(moment: number): Promise<boolean> {
    try {
      await this.#follower.catchUpTo(moment, LOOK_MS);
      return true;
    } catch (error) {
      if (error instanceof Unavailable || error instanceof Denied) return false;
      throw error;
    }
  }

  /**
   * Finds an API key for a verification.
   * @param accountId the account that the key must belong to.
   * @param askedAt the time when the request came, by `performance.now()`.
   * @param whilePresent for a look-up that waits. Default: the caller does not leave.
   * @returns null for a foreign, a deleted and an unknown key, and for a management key.
   * @throws Unavailable when memory may be too old, because the log does not answer in time.
   */
  async findApiKey(
    accountId: string,
    hash: string,
    askedAt: number,
    whilePresent: WhilePresent = always,
  ): Promise<KnownApiKey | null> {
    await this.ensureFresh(askedAt);
    const asker: Asker = { places: 'known', turn: accountId, whilePresent };
    const known = await this.find('api', hash, asker, true);
    if (known === 'revoked' || known?.kind !== 'api') return null;
    return known.key.account_id === accountId ? known : null;
  }

  /** Returns the budgets of a key that was just found. They are as fresh as the key. */
  budgetsOf(known: KnownApiKey): KeyBudgets {
    return this.#known.budgetsOf(known);
  }

  /** Looks at keys in memory, as fresh as verifications need, and neither adds nor renews any. */
  async keysOf(
    accountId: string,
    hashes: readonly string[],
  ): Promise<ReadonlyMap<string, AttributedKey>> {
    await this.ensureFresh(performance.now());
    const keys = new Map<string, AttributedKey>();
    for (const hash of hashes) {
      const known = this.#known.peek(hash);
      if (known?.kind === 'api' && known.key.account_id === accountId) {
        keys.set(hash, known.key);
      }
    }
    return keys;
  }

  /**
   * Finds a key by the hash of one of its strings, in memory, or else in the log. A read that began
   * before answers only with a key that no event is known to have changed since, and never that
   * there is no key, or that a string does not open it.
   * @param kind the kind of key that the string opens. It opens no key of the other kind.
   * @param believed whether the keys in memory are young enough.
   */
  async find(
    kind: KnownKey['kind'],
    hash: string,
    asker: Asker,
    believed: boolean,
  ): Promise<Found> {
    const inMemory = believed ? this.#known.get(hash) : undefined;
    if (inMemory) return inMemory.kind === kind ? inMemory : null;
    let keyHash = this.#known.keyOfString(hash);
    if (keyHash === undefined) {
      const found = await this.#look(kind, hash, asker, believed);
      if (found === null || found === 'revoked' || found.kind !== 'string') return found;
      keyHash = found.keyHash;
    }
    if (kind !== 'api') return null;
    // The look-up of the string has ended, so its place is free for that of the key.
    const opened = believed ? this.#known.get(hash) : undefined;
    if (opened) return opened;
    const key = await this.#look(kind, keyHash, asker, believed, hash);
    return key === null || key === 'revoked' || key.kind === 'string' ? null : key;
  }

  /** @param stringHash the string of the key that is asked about, if it is a later one. */
  async #look(
    kind: KnownKey['kind'],
    hash: string,
    asker: Asker,
    believed: boolean,
    stringHash = hash,
  ): Promise<Read> {
    const asked = performance.now();
    return asker.whilePresent(async (presence) => {
      // An earlier answer may be used only if it is a key that no event has changed since.
      for (;;) {
        const shared = this.#readings.get(nameOf(kind, hash, asker));
        // A read that all its askers have left may never begin.
        const reading = shared?.askers.hasLeft === false ? shared : this.#read(kind, hash, asker);
        reading.askers.add(presence);
        const found = await reading.found;
        const underWay = reading.underWay();
        if (underWay && underWay.begunAt >= asked) return found;
        if (believed && underWay?.isOutdated === false && opens(found, stringHash)) return found;
      }
    });
  }

  #read(kind: KnownKey['kind'], hash: string, asker: Asker): Reading {
    const { places, turn } = asker;
    const askers = new Askers();
    let underWay: LookUpUnderWay | undefined;
    const read = async (): Promise<Read> => {
      underWay = this.#known.begin(hash);
      let key: Read = null;
      try {
        key = await (kind === 'api'
          ? this.reader.readApiKey(hash, turn)
          : this.reader.readManagementKey(hash, turn));
        return key;
      } finally {
        this.#known.end(underWay, key === 'revoked' ? null : key);
      }
    };
    const found = this.#cold[places].run(turn, read, { presence: askers });
    const name = nameOf(kind, hash, asker);
    const reading = { found, underWay: () => underWay, askers };
    this.#readings.set(name, reading);
    const ended = (): void => {
      if (this.#readings.get(name) === reading) this.#readings.delete(name);
    };
    found.then(ended, ended);
    return reading;
  }
}

/** Askers share no read, because one of them may wait behind many reads of its own. */
function nameOf(kind: KnownKey['kind'], hash: string, { places, turn }: Asker): string {
  return `${kind} ${hash} ${places} ${turn}`;
}

/** Whether a read found a key that lists a string, or a management key. */
function opens(found: Read, stringHash: string): boolean {
  if (found === null || found === 'revoked') return false;
  if (found.kind === 'string') return true;
  return found.kind === 'management' || hasString(found, stringHash);
}
