import type { Fault } from './eventstoredb-simulator/faults.js';

/** An EventStoreDB to test against. All but the connection string needs the simulator: see `itOnSimulator`. */
export interface EventStoreDbServer {
  readonly connectionString: string;
  readonly isSimulator: boolean;
  /** Resolves once the process is gone. @param signal SIGKILL unless given; SIGTERM lets it say goodbye */
  kill(signal?: NodeJS.Signals): Promise<void>;
  /** At the same address, with the same log; kills it first when it runs. */
  restart(): Promise<void>;
  /** Restarts it with an empty log. */
  wipe(): Promise<void>;
  /** SIGSTOP: connections stay open and nobody answers. */
  freeze(): void;
  thaw(): void;
  /** Lets calls go wrong until `heal` or a restart. */
  inject(fault: Fault): Promise<void>;
  heal(): Promise<void>;
  /** Ends it and removes its log. A server that was there before is left alone. */
  stop(): Promise<void>;
}
