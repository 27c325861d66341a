import type { HttpClient } from '../../support/harness/http-client.js';
import type { Cluster } from './cluster.js';
import type { ClusterLoad } from './cluster-load.js';

const AT_ONCE = 4;
/** One in this many writes is a registration. The other writes change a key. */
const REGISTERS_EVERY = 4;

/**
 * Writes on one replica and reads on another at once, `times` times.
 * @returns the writes that the read did not show.
 */
export async function staleReads(
  cluster: Cluster,
  load: ClusterLoad,
  times: number,
): Promise<string[]> {
  const stale: string[] = [];
  let count = 0;
  const side = async (): Promise<void> => {
    const hash = await newKey(cluster.replica(0).client, load);
    while (count < times) {
      const time = count++;
      const [writing, reading] = [cluster.replica(time), cluster.replica(time + 1)];
      const read =
        time % REGISTERS_EVERY === 0
          ? await registration(`read-at-once-${time}`, writing.client, reading.client, load)
          : await renaming(hash, `name ${time}`, writing.client, reading.client);
      if (read.isSeen) continue;
      const after = `${Math.round(read.ms)} ms`;
      stale.push(
        `${reading.name} had not what ${writing.name} wrote, time ${time}, after ${after}`,
      );
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, side));
  return stale;
}

async function newKey(client: HttpClient, load: ClusterLoad): Promise<string> {
  load.attemptedKeys += 1;
  const { status, body, text } = await client.post<{ data: { hash: string } }>('/v1/keys', {
    name: 'read at once',
  });
  if (status !== 201) throw new Error(`a key was answered with ${status} ${text}`);
  return body.data.hash;
}

interface Read {
  readonly isSeen: boolean;
  /** The time of the read. A read that waited in vain is answered all the same. */
  readonly ms: number;
}

async function registration(
  user: string,
  writing: HttpClient,
  reading: HttpClient,
  load: ClusterLoad,
): Promise<Read> {
  load.attemptedUsers.add(user);
  const { status, text } = await writing.post('/v1/end-users', { user });
  if (status !== 201) throw new Error(`${user} was answered with ${status} ${text}`);
  load.acknowledgedUsers.add(user);
  return look(reading, `/v1/end-users?user=${user}`, ({ total_count }) => total_count === 1);
}

async function renaming(
  hash: string,
  name: string,
  writing: HttpClient,
  reading: HttpClient,
): Promise<Read> {
  const path = `/v1/keys/${hash}`;
  const { status, text } = await writing.patch(path, { name });
  if (status !== 200) throw new Error(`${name} was answered with ${status} ${text}`);
  return look(reading, path, ({ data }) => data?.name === name);
}

async function look(
  reading: HttpClient,
  path: string,
  isThere: (body: { total_count?: number; data?: { name?: string } }) => boolean,
): Promise<Read> {
  const began = performance.now();
  const { body } = await reading.get(path);
  return {
    isSeen: isThere(body as Parameters<typeof isThere>[0]),
    ms: performance.now() - began,
  };
}
