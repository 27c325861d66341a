/** More than the driver lets a heartbeat take: as long as a connection may, and the time between two (`connection.ts`). */
const LONGEST_HEARTBEAT_MS = 4_000;
/** A process that stood still itself hears of an answer just after its timers. */
const MORE_AFTER_A_PAUSE_MS = 1_000;

interface Heartbeat {
  readonly connectionId: string;
}

type Listen = (
  event: 'serverHeartbeatStarted' | 'serverHeartbeatSucceeded' | 'serverHeartbeatFailed',
  listener: (heartbeat: Heartbeat) => void,
) => unknown;

/** As a `MongoClient` tells of them. */
export interface Heartbeats {
  readonly on: Listen;
  readonly off: Listen;
}

/**
 * Tells of a heartbeat that never ends. When a connection goes at the very moment of it, the driver (7.9.0) waits for
 * room in a socket that is destroyed, with no limit: it does not see the server again, whatever becomes of that.
 * @returns what ends the watch.
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
