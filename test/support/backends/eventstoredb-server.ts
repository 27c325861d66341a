import type { Fault } from './eventstoredb-simulator/faults.js';

/**
 * An EventStoreDB for tests. Everything but the connection string needs the simulator: see
 * `itOnSimulator`.
 */
export interface EventStoreDbServer {
  readonly connectionString: string;
  readonly isSimulator: boolean;
  /**
   * Ends the process. Resolves when it is gone.
   * @param signal default SIGKILL; SIGTERM lets it close its connections.
   */
  kill(signal?: NodeJS.Signals): Promise<void>;
  /** Starts the server at the same address with the same log. Kills it first if it runs. */
  restart(): Promise<void>;
  /** Restarts the server with an empty log. */
  wipe(): Promise<void>;
  /** Sends SIGSTOP: connections stay open, and no call is answered. */
  freeze(): void;
  thaw(): void;
  /** Injects faults into calls until `heal` or a restart. */
  inject(fault: Fault): Promise<void>;
  heal(): Promise<void>;
  /** Ends the server and removes its log. A given server is left alone. */
  stop(): Promise<void>;
}
