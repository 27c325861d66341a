import features from '@eventstore/db-client/generated/serverfeatures_grpc_pb.js';
import type { SupportedMethods } from '@eventstore/db-client/generated/serverfeatures_pb.js';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import { Unavailable } from '../../kernel/errors.js';
import { Connection } from './connection.js';
import { mayPass, refused, TimedOut } from './faults.js';

/** The versions of real servers that the service was run against. docs/backends.md says how. */
export const TRIED_VERSIONS: readonly string[] = ['24.10.4'];

const WITHIN_MS = 3_000;
const NAME_OF_CALL = 'GetSupportedMethods';
/** The code of gRPC for a call that a server does not know. */
const UNIMPLEMENTED = 12;
/** The form of a version. The text comes from a server and goes into the log lines of this service. */
const VERSION = /^[\w.+-]{1,64}$/;

type Client = InstanceType<typeof features.ServerFeaturesClient>;
/** Runs a call on the channel to the leader. */
type Execute = (
  kind: typeof features.ServerFeaturesClient,
  name: string,
  call: (client: Client) => Promise<string | null>,
) => Promise<string | null>;

/** The server of the event log, as it describes itself. */
export interface LogServer {
  /** Null when the server does not know the call that asks for a version, or reports no valid version. */
  readonly version: string | null;
  /** Whether the service was run against a real server of this version. */
  readonly isTried: boolean;
}

/**
 * Asks a server for its version, once and on a separate connection. In a cluster the leader answers.
 * @param withinMs how long the answer may take.
 * @throws Unavailable when no answer comes in time; Denied when the server refuses.
 */
export async function askServerVersion(
  connectionString: string,
  withinMs = WITHIN_MS,
): Promise<LogServer> {
  const { client } = new Connection(connectionString);
  const execute = Reflect.get(client, 'execute') as Execute;
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(new TimedOut(withinMs)), withinMs);
  try {
    const asked = execute(features.ServerFeaturesClient, NAME_OF_CALL, (service) =>
      askOnce(service, late.signal),
    );
    // The search for the leader of a cluster has no time limit of its own.
    const version = await Promise.race([asked, aborted(late.signal)]);
    return { version, isTried: version !== null && TRIED_VERSIONS.includes(version) };
  } catch (error) {
    throw mayPass(error) ? new Unavailable('event log', error) : refused(error);
  } finally {
    clearTimeout(timer);
    await client.dispose();
  }
}

function askOnce(service: Client, signal: AbortSignal): Promise<string | null> {
  return new Promise((resolve, reject) => {
    const call = service.getSupportedMethods(new shared.Empty(), (error, methods) => {
      if (!error) resolve(versionIn(methods));
      else if ((error.code as number) === UNIMPLEMENTED) resolve(null);
      else reject(error);
    });
    signal.addEventListener('abort', () => call.cancel());
  });
}

function versionIn(methods: SupportedMethods): string | null {
  const version = methods.getEventStoreServerVersion();
  return VERSION.test(version) ? version : null;
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error));
  });
}
