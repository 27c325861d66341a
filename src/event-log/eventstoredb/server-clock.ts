import features from '@eventstore/db-client/generated/serverfeatures_grpc_pb.js';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import { inTime } from '../../kernel/in-time.js';
import { Connection } from './connection.js';

type Client = InstanceType<typeof features.ServerFeaturesClient>;
/** Runs a call on the channel to the leader. */
type Execute = (
  kind: typeof features.ServerFeaturesClient,
  name: string,
  call: (client: Client) => Promise<Date | null>,
) => Promise<Date | null>;

/**
 * Asks a server for its time, to a second. The server puts its time into the headers of each answer. In a cluster the
 * leader answers.
 * @returns null when the answer has no time.
 * @throws when no answer comes in time.
 */
export async function askServerClock(
  connectionString: string,
  withinMs: number,
): Promise<Date | null> {
  const { client } = new Connection(connectionString);
  const execute = Reflect.get(client, 'execute') as Execute;
  try {
    return await inTime(
      execute(features.ServerFeaturesClient, 'GetSupportedMethods', timeIn),
      withinMs,
    );
  } finally {
    await client.dispose();
  }
}

function timeIn(service: Client): Promise<Date | null> {
  return new Promise((resolve, reject) => {
    const call = service.getSupportedMethods(new shared.Empty(), (error) => {
      // A server that does not know the call answers with headers all the same.
      if (error) reject(error);
      else resolve(null);
    });
    call.on('metadata', (head) => {
      const [date = ''] = head.get('date');
      const time = new Date(String(date));
      resolve(Number.isNaN(time.getTime()) ? null : time);
    });
  });
}
