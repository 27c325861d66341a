import { allPages } from '../../support/harness/all-pages.js';
import { keyledger } from '../../support/harness/command-line.js';
import { storedEvents } from '../../support/harness/stored-events.js';
import type { Cluster } from './cluster.js';
import type { ClusterLoad } from './cluster-load.js';
import { replayFaults } from './fresh-replay.js';
import { logFaults } from './log-state.js';
import type { Replica } from './replica.js';

interface EndUser {
  readonly user: string;
}

interface Key {
  readonly hash: string;
  readonly name: string;
  readonly limit: number;
}

/**
 * Gives the faults in the state of a cluster after a drill, compared with the requests. No faults
 * give an empty list.
 */
export async function wrongWith(cluster: Cluster, load: ClusterLoad): Promise<string[]> {
  const states = await Promise.all(cluster.replicas.map(stateOf));
  const [first] = states;
  if (!first) return ['there are no replicas'];
  const disagreeing = cluster.replicas
    .filter((_, index) => JSON.stringify(states[index]) !== JSON.stringify(first))
    .map(({ name }) => `${name} answers otherwise than ${cluster.replica(0).name}`);
  return [
    ...disagreeing,
    ...endUserFaults(first.endUsers, first.totalEndUsers, load),
    ...keyFaults(first.keys, first.totalKeys, load),
    ...logFaults(await storedEvents(cluster.settings), load),
    ...(await replayFaults(cluster.settings)),
  ];
}

async function stateOf({ client }: Replica) {
  const endUsers = await allPages<EndUser>(client, '/v1/end-users?include_inactive=true');
  const keys = await allPages<Key>(client, '/v1/keys?workspace_id=all&include_disabled=true');
  return {
    endUsers: endUsers.items,
    totalEndUsers: endUsers.total,
    keys: keys.items,
    totalKeys: keys.total,
  };
}

function endUserFaults(found: readonly EndUser[], total: number, load: ClusterLoad): string[] {
  const users = new Set(found.map(({ user }) => user));
  const missing = [...load.acknowledgedUsers].filter((user) => !users.has(user));
  const invented = [...users].filter((user) => !load.attemptedUsers.has(user));
  return [
    ...missing.map((user) => `the acknowledged ${user} is missing`),
    ...invented.map((user) => `${user} was never registered`),
    ...(users.size === found.length ? [] : ['an end user is there twice']),
    ...totalFaults('end users', total, found.length),
  ];
}

function totalFaults(what: string, total: number, found: number): string[] {
  return total === found ? [] : [`total_count is ${total} ${what}, and paging finds ${found}`];
}

function keyFaults(found: readonly Key[], total: number, load: ClusterLoad): string[] {
  const byHash = new Map(found.map((key) => [key.hash, key]));
  const twice = byHash.size === found.length ? [] : ['a key is there twice'];
  const wrong = load.keys.flatMap(({ hash, acknowledged, attempted }) => {
    const key = byHash.get(hash);
    if (!key) return [`the acknowledged key ${hash} is missing`];
    const isWhole = key.name === `v${key.limit}`;
    if (isWhole && key.limit >= acknowledged && key.limit <= attempted) return [];
    return [`key ${hash} is ${key.name}/${key.limit}, after ${acknowledged} to ${attempted}`];
  });
  return [...twice, ...totalFaults('keys', total, found.length), ...wrong];
}

/** Checks like an operator: folds the log anew in the read store, beside the running replicas. */
export async function verifyFaults({ settings }: Cluster): Promise<string[]> {
  const { code, stdout, stderr } = await keyledger(settings, 'projections', 'verify', '--json');
  return code === 0 ? [] : [`the read models are not what the log says: ${stdout}${stderr}`];
}
