import { randomUUID } from 'node:crypto';

const KEY_PREFIX = /^[sm]k-v1-/;

/** Every secret that a test made, and the search for them. */
export class Secrets {
  readonly #known = new Map<string, string>();

  /** Remembers a secret by what it is. */
  keep(what: string, secret: string): string {
    this.#known.set(secret, what);
    return secret;
  }

  /** Makes a secret of no particular form. */
  make(what: string): string {
    return this.keep(what, `hush-${randomUUID()}`);
  }

  get count(): number {
    return this.#known.size;
  }

  /** What the secrets are that bytes or text hold: plainly, without the prefix of a key, or as base64. */
  foundIn(place: Buffer | string): string[] {
    const bytes = Buffer.from(place);
    return [...this.#known].flatMap(([secret, what]) => {
      const forms = [secret.replace(KEY_PREFIX, ''), Buffer.from(secret).toString('base64')];
      return forms.some((form) => bytes.includes(form)) ? [what] : [];
    });
  }
}
