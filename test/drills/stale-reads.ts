import type { HttpClient } from '../harness/http-client.js';
import type { Cluster } from './cluster.js';
import type { ClusterLoad } from './cluster-load.js';

const AT_ONCE = 4;
/** Of so many writes one is a registration, the others change a key. */
const REGISTERS_EVERY = 4;

/** Writes on one replica and reads on another at once, so many times. @returns what was not seen. */
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
      const isSeen =
        time % REGISTERS_EVERY === 0
          ? await registrationIsSeen(`read-at-once-${time}`, writing.client, reading.client, load)
          : await renamingIsSeen(hash, `name ${time}`, writing.client, reading.client);
      if (!isSeen) stale.push(`${reading.name} had not what ${writing.name} wrote, time ${time}`);
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

async function registrationIsSeen(
  user: string,
  writing: HttpClient,
  reading: HttpClient,
  load: ClusterLoad,
): Promise<boolean> {
  load.attemptedUsers.add(user);
  const { status, text } = await writing.post('/v1/end-users', { user });
  if (status !== 201) throw new Error(`${user} was answered with ${status} ${text}`);
  load.acknowledgedUsers.add(user);
  const { body } = await reading.get<{ total_count: number }>(`/v1/end-users?user=${user}`);
  return body.total_count === 1;
}

async function renamingIsSeen(
  hash: string,
  name: string,
  writing: HttpClient,
  reading: HttpClient,
): Promise<boolean> {
  const path = `/v1/keys/${hash}`;
  const { status, text } = await writing.patch(path, { name });
  if (status !== 200) throw new Error(`${name} was answered with ${status} ${text}`);
  const { body } = await reading.get<{ data: { name: string } }>(path);
  return body.data.name === name;
}
