import type { ReadReq } from '@eventstore/db-client/generated/streams_pb.js';
import type { ServerWritableStream } from '@grpc/grpc-js';
import { once } from 'node:events';
import type { Counter } from './counts.js';
import type { Fault } from './faults.js';
import { failure } from './refusal.js';

/** A read or subscription in progress. It sends no more than its consumer can take. */
export class ReadCall {
  private readonly cancellation = new AbortController();
  private eventsLeft: number;
  private isSilent = false;

  constructor(
    private readonly call: ServerWritableStream<ReadReq, Buffer>,
    private readonly fault: Fault | undefined,
    private readonly counter: Counter,
  ) {
    call.on('cancelled', () => this.cancellation.abort());
    this.eventsLeft = fault?.effect === 'end' ? fault.afterEvents : Infinity;
  }

  /** Aborts when the client has enough, and when the call is over. */
  get cancelled(): AbortSignal {
    return this.cancellation.signal;
  }

  /** From now on the call sends nothing and stays open. */
  silence(): void {
    this.isSilent = true;
  }

  stop(): void {
    this.cancellation.abort();
  }

  /** @throws Ended when a fault ends the call here. */
  async sendEvent(event: Buffer): Promise<void> {
    this.eventsLeft -= 1;
    await this.send(event);
    if (this.eventsLeft === 0) throw this.ending();
  }

  async send(message: Buffer): Promise<void> {
    this.cancelled.throwIfAborted();
    if (this.isSilent) await once(this.cancelled, 'abort');
    this.cancelled.throwIfAborted();
    this.counter.counts.messages += 1;
    if (!this.call.write(message)) await once(this.call, 'drain', { signal: this.cancelled });
  }

  private ending(): Error {
    if (this.fault?.effect !== 'end' || this.fault.failure === undefined) return new Ended();
    return failure(this.fault.failure);
  }
}

/** A fault that ends the call. */
export class Ended extends Error {}
