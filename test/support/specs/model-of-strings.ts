interface Crash {
  readonly append: number;
  readonly isStored: boolean;
}

interface OnKey {
  readonly account: string;
  readonly key: string;
  readonly crash: Crash | undefined;
}

/** A step of a random history of keys and their strings. */
export type Step =
  | (OnKey & { readonly type: 'create'; readonly name: string })
  | (OnKey & { readonly type: 'rotate'; readonly string: string; readonly grace: number })
  | (OnKey & { readonly type: 'end'; readonly string: string })
  | (OnKey & { readonly type: 'delete' })
  | { readonly type: 'wait'; readonly seconds: number };

interface ModelString {
  /** The grace with which it was added; null for the first string. */
  readonly grace: number | null;
  /** The moment of its end; Infinity for none. */
  endsAt: number;
}

interface ModelKey {
  readonly account: string;
  readonly name: string;
  isDeleted: boolean;
  /** Every string that the key ever had, and those that were ended before they were added. */
  readonly strings: Map<string, ModelString>;
}

const MOST_STRINGS = 8;

/** Keys and their strings as plain objects. Each change of them is one append. */
export class ModelOfStrings {
  readonly #keys = new Map<string, ModelKey>();
  /** The key of each later string, from its reservation on. */
  readonly #reserved = new Map<string, string>();

  openedBy(hash: string, now: Date): string | null {
    const keyHash = this.#reserved.get(hash) ?? hash;
    const key = this.#keys.get(keyHash);
    if (!key || key.isDeleted) return null;
    const string = key.strings.get(hash);
    return string && string.endsAt > now.getTime() ? keyHash : null;
  }

  /** Takes a step and gives its expected outcome. */
  take(step: Step, at: Date): string {
    if (step.type === 'wait') return 'waited';
    const now = at.getTime();
    let appends = 0;
    /** Makes a change, unless the process ends before. @returns whether the process goes on. */
    const append = (change: () => void): boolean => {
      appends += 1;
      const crash = step.crash?.append === appends ? step.crash : undefined;
      if (!crash || crash.isStored) change();
      return !crash;
    };
    if (step.type === 'create') return this.#create(step, now, append);
    const key = this.#keys.get(step.key);
    if (!key || key.isDeleted || key.account !== step.account) return 'not-found';
    if (step.type === 'delete') {
      return append(() => (key.isDeleted = true)) ? 'done' : 'crash';
    }
    if (step.type === 'rotate') return this.#rotate(step, key, now, append);
    return this.#end(step, key, now, append);
  }

  #create(
    { account, key: hash, name }: Extract<Step, { type: 'create' }>,
    now: number,
    append: (change: () => void) => boolean,
  ): string {
    const known = this.#keys.get(hash);
    if (this.#reserved.has(hash)) return 'hash-used';
    if (known) {
      if (known.isDeleted || known.account !== account) return 'hash-used';
      if ((known.strings.get(hash)?.endsAt ?? 0) <= now) return 'string-ended';
      return known.name === name ? 'same' : 'key-differs';
    }
    const strings = new Map([[hash, { grace: null, endsAt: Infinity }]]);
    const created = { account, name, isDeleted: false, strings };
    return append(() => this.#keys.set(hash, created)) ? 'new' : 'crash';
  }

  #rotate(
    { key: keyHash, string: hash, grace }: Extract<Step, { type: 'rotate' }>,
    key: ModelKey,
    now: number,
    append: (change: () => void) => boolean,
  ): string {
    const live = [...key.strings.values()].filter(({ endsAt }) => endsAt > now);
    const isFull = grace > 0 && live.length >= MOST_STRINGS;
    if (this.#keys.has(hash)) return 'hash-used';
    const owner = this.#reserved.get(hash);
    if (owner === undefined) {
      if (isFull) return 'too-many-strings';
      if (!append(() => this.#reserved.set(hash, keyHash))) return 'crash';
    } else if (owner !== keyHash) {
      return 'hash-used';
    }
    const known = key.strings.get(hash);
    if (known) {
      if (known.endsAt <= now) return 'string-ended';
      return known.grace === grace ? 'same' : 'grace-differs';
    }
    if (isFull) return 'too-many-strings';
    const change = (): void => {
      for (const string of live) string.endsAt = Math.min(string.endsAt, now + grace * 1_000);
      key.strings.set(hash, { grace, endsAt: Infinity });
    };
    return append(change) ? 'new' : 'crash';
  }

  #end(
    { key: keyHash, string: hash }: Extract<Step, { type: 'end' }>,
    key: ModelKey,
    now: number,
    append: (change: () => void) => boolean,
  ): string {
    const known = key.strings.get(hash);
    if (!known && this.#reserved.get(hash) !== keyHash) return 'not-found';
    if (known?.endsAt === Infinity) return 'last-string';
    if (known && known.endsAt <= now) return 'done';
    const ended = known ?? { grace: null, endsAt: now };
    const change = (): void => {
      ended.endsAt = now;
      key.strings.set(hash, ended);
    };
    return append(change) ? 'done' : 'crash';
  }
}
