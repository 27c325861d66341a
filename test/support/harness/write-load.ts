import type { HttpClient } from './http-client.js';

const REGISTERING = 4;
const CHANGING = 3;
const ARRANGING = 1;
/**
 * One in this many end users is deactivated, and one in this many workspaces and keys is deleted.
 */
const EVERY = 3;

/** Each key gets this many versions after its first. Then the next key is created. */
const VERSIONS = 4;

/** A key under load: version N has the name `vN` and the limit N, set by one request. */
export interface KeyUnderLoad {
  readonly hash: string;
  /** The versions whose requests were answered. */
  readonly acknowledged: Set<number>;
  /** The newest requested version. Its request may have no answer. */
  attempted: number;
  end: End;
}

/** Whether the end of an object was requested, and whether the request was answered. */
export type End = 'none' | 'attempted' | 'acknowledged';

/** The writes to a service and their answers, across its restarts. */
export class WriteLoad {
  readonly attemptedUsers = new Set<string>();
  readonly acknowledgedUsers = new Set<string>();
  readonly deactivations = new Map<string, End>();
  readonly keys: KeyUnderLoad[] = [];
  /** Workspaces by slug, if their creation was answered. */
  readonly workspaces = new Map<string, End>();
  attemptedWorkspaces = 0;
  attemptedKeys = 0;
  /** Answers that were neither a success nor the end of the connection. */
  readonly refusals: string[] = [];

  /**
   * Writes without a pause from several concurrent callers until the service ends.
   * @param onAcknowledged is called for every answered write.
   */
  async press(client: HttpClient, onAcknowledged: () => void): Promise<void> {
    const sides = [
      ...Array.from({ length: REGISTERING }, () => () => this.#register(client)),
      ...Array.from({ length: CHANGING }, () => this.#creatingAndChanging(client)),
      ...Array.from({ length: ARRANGING }, () => () => this.#arrange(client)),
    ];
    await Promise.all(sides.map((write) => this.#untilCutOff(write, onAcknowledged)));
  }

  async #untilCutOff(write: () => Promise<boolean>, onAcknowledged: () => void): Promise<void> {
    for (;;) {
      try {
        if (!(await write())) return;
      } catch {
        return;
      }
      onAcknowledged();
    }
  }

  async #register(client: HttpClient): Promise<boolean> {
    const user = `user-${this.attemptedUsers.size}`;
    this.attemptedUsers.add(user);
    const { status, text } = await client.post('/v1/end-users', { user });
    if (status !== 201) return this.#refused(status, text);
    this.acknowledgedUsers.add(user);
    return this.attemptedUsers.size % EVERY !== 0 || (await this.#deactivate(client, user));
  }

  async #deactivate(client: HttpClient, user: string): Promise<boolean> {
    this.deactivations.set(user, 'attempted');
    const { status, text } = await client.send('DELETE', `/v1/end-users/${user}`);
    if (status !== 204) return this.#refused(status, text);
    this.deactivations.set(user, 'acknowledged');
    return true;
  }

  /** Creates a workspace and may delete it again. */
  async #arrange(client: HttpClient): Promise<boolean> {
    const slug = `workspace-${++this.attemptedWorkspaces}`;
    const made = await client.post('/v1/workspaces', { name: slug, slug });
    if (made.status !== 201) return this.#refused(made.status, made.text);
    this.workspaces.set(slug, 'none');
    if (this.attemptedWorkspaces % EVERY === 0) return true;
    this.workspaces.set(slug, 'attempted');
    const { status, text } = await client.send('DELETE', `/v1/workspaces/${slug}`);
    if (status !== 200) return this.#refused(status, text);
    this.workspaces.set(slug, 'acknowledged');
    return true;
  }

  /** Makes a caller with keys of its own, so that its changes of a key come one after another. */
  #creatingAndChanging(client: HttpClient): () => Promise<boolean> {
    let key: KeyUnderLoad | undefined;
    return async () => {
      if (key && key.attempted < VERSIONS) return this.#change(client, key);
      if (key && this.keys.length % EVERY === 0 && !(await this.#delete(client, key))) return false;
      key = await this.#create(client);
      return key !== undefined;
    };
  }

  async #create(client: HttpClient): Promise<KeyUnderLoad | undefined> {
    this.attemptedKeys += 1;
    const wanted = { name: 'v0', limit: 0 };
    const created = await client.post<{ data: { hash: string } }>('/v1/keys', wanted);
    if (created.status !== 201) {
      this.#refused(created.status, created.text);
      return undefined;
    }
    const { hash } = created.body.data;
    const key: KeyUnderLoad = { hash, acknowledged: new Set([0]), attempted: 0, end: 'none' };
    this.keys.push(key);
    return key;
  }

  async #change(client: HttpClient, key: KeyUnderLoad): Promise<boolean> {
    const version = ++key.attempted;
    const wanted = { name: `v${version}`, limit: version };
    const { status, text } = await client.patch(`/v1/keys/${key.hash}`, wanted);
    if (status !== 200) return this.#refused(status, text);
    key.acknowledged.add(version);
    return true;
  }

  async #delete(client: HttpClient, key: KeyUnderLoad): Promise<boolean> {
    key.end = 'attempted';
    const { status, text } = await client.send('DELETE', `/v1/keys/${key.hash}`);
    if (status !== 200) return this.#refused(status, text);
    key.end = 'acknowledged';
    return true;
  }

  #refused(status: number, text: string): boolean {
    this.refusals.push(`${status} ${text}`);
    return false;
  }
}
