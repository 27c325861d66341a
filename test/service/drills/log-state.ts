import type { RecordedEvent } from '../../../src/event-sourcing/event-log/event-log.js';
import type { ClusterLoad, LoadedKey } from './cluster-load.js';

/**
 * Gives the faults of the log, compared with the requests of its writers: doubled, missing or
 * invented events.
 */
export function logFaults(events: readonly RecordedEvent[], load: ClusterLoad): string[] {
  const ids = new Set(events.map(({ id }) => id));
  return [
    ...(ids.size === events.length ? [] : ['two events have one id']),
    ...revisionFaults(events),
    ...registrationFaults(events, load),
    ...creationFaults(events, load),
    ...load.keys.flatMap((key) => [
      ...changeFaults(key, limitsOf(events, key.hash)),
      ...changeFaults(key, namedVersionsOf(events, key.hash)),
    ]),
  ];
}

function revisionFaults(events: readonly RecordedEvent[]): string[] {
  const lengths = new Map<string, number>();
  return events.flatMap(({ stream, revision }) => {
    const expected = lengths.get(stream) ?? 0;
    lengths.set(stream, expected + 1);
    return revision === expected ? [] : [`${stream} has ${revision} where ${expected} should be`];
  });
}

function registrationFaults(events: readonly RecordedEvent[], load: ClusterLoad): string[] {
  const users = events
    .filter(({ type }) => type === 'EndUserRegistered')
    .map(({ data }) => (data as { user: string }).user);
  const once = new Set(users);
  const lost = [...load.acknowledgedUsers].filter((user) => !once.has(user));
  return [
    ...(once.size === users.length ? [] : ['the log has a registration twice']),
    ...lost.map((user) => `the log lost the acknowledged ${user}`),
  ];
}

function creationFaults(events: readonly RecordedEvent[], load: ClusterLoad): string[] {
  const created = events.filter(({ type }) => type === 'ApiKeyCreated').length;
  if (created >= load.keys.length && created <= load.attemptedKeys) return [];
  return [`the log has ${created} keys, of ${load.keys.length} to ${load.attemptedKeys}`];
}

/** Each version was requested once, one after another. */
function changeFaults({ hash, acknowledged, attempted }: LoadedKey, versions: number[]): string[] {
  const inOrder = versions.every((version, index) => version > (versions[index - 1] ?? 0));
  const last = versions.at(-1) ?? 0;
  if (inOrder && last >= acknowledged && last <= attempted) return [];
  return [`the log has the changes ${versions.join()} of key ${hash}, of ${acknowledged}`];
}

function dataOf(events: readonly RecordedEvent[], hash: string, changed: string): unknown[] {
  return events
    .filter(({ type, stream }) => type === changed && stream === `key-${hash}`)
    .map(({ data }) => data);
}

function limitsOf(events: readonly RecordedEvent[], hash: string): number[] {
  return dataOf(events, hash, 'ApiKeyLimitChanged').map(
    (data) => (data as { limit: number }).limit,
  );
}

/** Version 3 is named `v3`. */
function namedVersionsOf(events: readonly RecordedEvent[], hash: string): number[] {
  return dataOf(events, hash, 'ApiKeyRenamed').map((data) =>
    Number((data as { name: string }).name.slice(1)),
  );
}
