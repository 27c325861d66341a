/** How long a heartbeat may take. The driver allows less: `connectTimeoutMS` + `heartbeatFrequencyMS` (`uri.ts`). */
const LONGEST_HEARTBEAT_MS = 4_000;
/** The extra time for a process that stood still, because such a process runs its timers before it sees the answer. */
const MORE_AFTER_A_PAUSE_MS = 1_000;

interface Heartbeat {
  readonly connectionId: string;
}

type Listen = (
  event: 'serverHeartbeatStarted' | 'serverHeartbeatSucceeded' | 'serverHeartbeatFailed',
  listener: (heartbeat: Heartbeat) => void,
) => unknown;

/** The part of a `MongoClient` that reports its heartbeats. */
export interface Heartbeats {
  readonly on: Listen;
  readonly off: Listen;
}

/**
 * Watches for a heartbeat that never ends. When a connection breaks as a heartbeat begins, the driver (7.9.0) waits for
 * room in a destroyed socket, without a limit, and never sees the server again.
 * @param onStuck called once for each such heartbeat.
 * @returns a function that ends the watch.
 */
export function watchHeartbeats(client: Heartbeats, onStuck: () => void): () => void {
  const awaited = new Map<string, NodeJS.Timeout>();
  const forget = (): void => {
    for (const timer of awaited.values()) clearTimeout(timer);
    awaited.clear();
  };
  const expectEnd = (connectionId: string, withinMs: number, otherwise: () => void): void => {
    clearTimeout(awaited.get(connectionId));
    awaited.set(connectionId, setTimeout(otherwise, withinMs));
  };
  const begun = ({ connectionId }: Heartbeat): void =>
    expectEnd(connectionId, LONGEST_HEARTBEAT_MS, () =>
      expectEnd(connectionId, MORE_AFTER_A_PAUSE_MS, () => {
        forget();
        onStuck();
      }),
    );
  const ended = ({ connectionId }: Heartbeat): void => {
    clearTimeout(awaited.get(connectionId));
    awaited.delete(connectionId);
  };
  client.on('serverHeartbeatStarted', begun);
  client.on('serverHeartbeatSucceeded', ended);
  client.on('serverHeartbeatFailed', ended);
  return () => {
    forget();
    client.off('serverHeartbeatStarted', begun);
    client.off('serverHeartbeatSucceeded', ended);
    client.off('serverHeartbeatFailed', ended);
  };
}
