import type { ReadReq } from '@eventstore/db-client/generated/streams_pb.js';
import { setTimeout as after } from 'node:timers/promises';
import type { Metadata, ServerWritableStream } from '@grpc/grpc-js';
import type { Database } from './database.js';
import { type Faults, suffer } from './faults.js';
import { read } from './read.js';
import { Ended, ReadCall } from './read-call.js';
import { Refusal } from './refusal.js';
import { subscribe } from './subscribe.js';

export function readHandler(database: Database, faults: Faults) {
  return (call: ServerWritableStream<ReadReq, Buffer>): void => {
    void serve(call, database, faults);
  };
}

async function serve(
  call: ServerWritableStream<ReadReq, Buffer>,
  database: Database,
  faults: Faults,
): Promise<void> {
  database.requireLead();
  const options = call.request.getOptions();
  const isSubscription = options?.hasSubscription() === true;
  const isOfAll = options?.hasAll() === true;
  const fault =
    faults.meet(isSubscription ? 'subscribe' : 'read', call.metadata) ??
    (isOfAll ? faults.meet('all', call.metadata) : undefined);
  const { counter } = database;
  const reading = new ReadCall(call, fault, counter);
  counter.open(isSubscription ? 'openSubscriptions' : 'openReads', reading.cancelled);
  if (!isSubscription) counter.counts[isOfAll ? 'logReads' : 'streamReads'] += 1;
  if (isSubscription) {
    faults.silenced(reading.cancelled).then(
      () => reading.silence(),
      () => undefined,
    );
  }
  const work = suffer(fault, async () => {
    if (options === undefined) return;
    if (fault?.effect === 'delay') await after(fault.ms, undefined, { signal: reading.cancelled });
    if (isSubscription) await subscribe(database, options, reading);
    else await read(database, options, reading);
  });
  try {
    await (isOfAll ? Promise.race([work, brokenOff(faults, call.metadata, reading)]) : work);
    call.end();
  } catch (error) {
    if (reading.cancelled.aborted) return;
    if (error instanceof Ended) call.end();
    else call.emit('error', error instanceof Refusal ? error : new Error(String(error)));
  } finally {
    reading.stop();
  }
}

/** Rejects with a fault of `all` that begins during the read. */
async function brokenOff(faults: Faults, metadata: Metadata, reading: ReadCall): Promise<void> {
  await faults.injected('all', reading.cancelled);
  await suffer(faults.meet('all', metadata), async () => undefined);
}
