import { randomUUID } from 'node:crypto';

const KEY_PREFIX = /^[sm]k-v1-/;

/** The secrets of a test, and a search for them. */
export class Secrets {
  readonly #known = new Map<string, string>();

  /** Adds a secret. @param what its name in messages. */
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

  /**
   * Gives the names of the secrets in bytes or a text: plain, without the prefix of a key, or as
   * base64.
   */
  foundIn(place: Buffer | string): string[] {
    const bytes = Buffer.from(place);
    return [...this.#known].flatMap(([secret, what]) => {
      const forms = [secret.replace(KEY_PREFIX, ''), Buffer.from(secret).toString('base64')];
      return forms.some((form) => bytes.includes(form)) ? [what] : [];
    });
  }
}
