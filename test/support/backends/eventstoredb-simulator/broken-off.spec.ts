import streamsClient, {
  type StreamsClient,
} from '@eventstore/db-client/generated/streams_grpc_pb.js';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import streams, { type AppendReq } from '@eventstore/db-client/generated/streams_pb.js';
import { credentials, status } from '@grpc/grpc-js';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { LoopbackProxy } from '../loopback-proxy.js';
import { CLASSIC, Clients, event, freshStream, idsOf, take } from './real-client.js';
import { SimulatorProcess } from './simulator-process.js';

describe('an append whose client went away before it had said all of it', () => {
  let server: SimulatorProcess;
  let proxy: LoopbackProxy;
  let raw: StreamsClient;
  const clients = new Clients();

  beforeEach(async () => {
    server = await SimulatorProcess.start();
    proxy = await LoopbackProxy.to(server.port);
    const address = `127.0.0.1:${proxy.port}`;
    raw = new streamsClient.StreamsClient(address, credentials.createInsecure());
  });

  afterEach(async () => {
    raw.close();
    await proxy.close();
    await clients.dispose();
    await server.stop();
  });

  it.each([0, 1])('leaves nothing after %i events, and the server goes on', async (events) => {
    const stream = freshStream();
    const { ended } = begin(raw, [options(stream), ...Array.from({ length: events }, proposal)]);
    // A later message on the same connection arrives later.
    const later = begin(raw, [options(freshStream()), proposal()]);
    later.call.end();
    expect(await later.ended).toBeNull();
    proxy.cut();
    expect(await ended).toMatchObject({ code: status.UNAVAILABLE });
    const client = clients.connect(server);
    const next = event();
    await client.appendToStream(freshStream(), event(), CLASSIC);
    await client.appendToStream(stream, next, CLASSIC);
    expect(idsOf(await take(client.readStream(stream)))).toEqual([next.id]);
  });
});

/** `ended` gives the error that ended the call, or null. */
function begin(raw: StreamsClient, messages: readonly AppendReq[]) {
  let told = (_: unknown): void => undefined;
  const ended = new Promise<unknown>((resolve) => (told = resolve));
  const call = raw.append((error) => told(error));
  for (const message of messages) call.write(message);
  return { call, ended };
}

function options(stream: string): AppendReq {
  const identifier = new shared.StreamIdentifier().setStreamName(Buffer.from(stream));
  const any = new streams.AppendReq.Options().setStreamIdentifier(identifier);
  return new streams.AppendReq().setOptions(any.setAny(new shared.Empty()));
}

function proposal(): AppendReq {
  const message = new streams.AppendReq.ProposedMessage();
  message.setId(new shared.UUID().setString(randomUUID())).setData(Buffer.from('{}'));
  message.getMetadataMap().set('type', 'Happened').set('content-type', 'application/json');
  return new streams.AppendReq().setProposedMessage(message);
}
