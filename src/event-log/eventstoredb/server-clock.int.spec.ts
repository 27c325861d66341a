import features from '@eventstore/db-client/generated/serverfeatures_grpc_pb.js';
import messages from '@eventstore/db-client/generated/serverfeatures_pb.js';
import {
  Metadata,
  type sendUnaryData,
  Server,
  ServerCredentials,
  type ServerUnaryCall,
  status,
} from '@grpc/grpc-js';
import { afterEach, describe, expect, it } from '@jest/globals';
import { askServerClock } from './server-clock.js';

const WITHIN_MS = 5_000;

describe('the clock of a log server', () => {
  let server: Server;

  /** Starts a server whose answers have the given head. @returns its connection string. */
  async function serve(
    head: Readonly<Record<string, string>>,
    knowsTheCall = true,
  ): Promise<string> {
    server = new Server();
    server.addService(features.ServerFeaturesService, {
      getSupportedMethods(call: ServerUnaryCall<unknown, unknown>, answer: sendUnaryData<unknown>) {
        const metadata = new Metadata();
        for (const [name, value] of Object.entries(head)) metadata.set(name, value);
        call.sendMetadata(metadata);
        if (knowsTheCall) answer(null, new messages.SupportedMethods());
        else answer({ code: status.UNIMPLEMENTED });
      },
    });
    const port = await new Promise<number>((resolve, reject) => {
      server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) => {
        if (error) reject(error);
        else resolve(bound);
      });
    });
    return `esdb://127.0.0.1:${port}?tls=false`;
  }

  afterEach(() => {
    server.forceShutdown();
  });

  it('is in the head of an answer, also of one that refuses the call', async () => {
    const date = 'Mon, 05 Jan 2026 09:15:00 GMT';
    for (const knows of [true, false]) {
      const clock = await askServerClock(await serve({ date }, knows), WITHIN_MS);
      expect(clock).toEqual(new Date(date));
      server.forceShutdown();
    }
  });

  it('is not known where the head has no time', async () => {
    expect(await askServerClock(await serve({ date: 'noon' }), WITHIN_MS)).toBeNull();
  });

  it('is not waited for longer than allowed', async () => {
    const address = await serve({});
    server.forceShutdown();
    await expect(askServerClock(address, 100)).rejects.toThrow();
  });
});
