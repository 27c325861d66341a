import type { Metadata } from '@grpc/grpc-js';
import { EventEmitter, once } from 'node:events';
import { setTimeout as after } from 'node:timers/promises';
import { type Failure, failure, notLeader } from './refusal.js';

/** `all` means reads of the whole log and subscriptions to it, including those in progress. */
export type Operation = 'append' | 'read' | 'subscribe' | 'all';

/** A fault on one kind of call, for the next `times` calls or until `heal`. */
export type Fault = { readonly on: Operation; readonly times?: number } & Effect;

export type Effect =
  /**
   * The call takes effect at once, but its answer comes late, to a read and a subscription with
   * their first event.
   */
  | { readonly effect: 'delay'; readonly ms: number }
  /** The call has no effect and gets no answer. */
  | { readonly effect: 'hang' }
  /** The answer is an error. With `committed` the append was done all the same. */
  | { readonly effect: 'fail'; readonly failure: Failure; readonly committed?: boolean }
  /**
   * A read or subscription ends after this many events (at least one): with an error, or as if no
   * more events existed.
   */
  | { readonly effect: 'end'; readonly afterEvents: number; readonly failure?: Failure }
  /** Subscriptions in progress stay open but send nothing more. Later subscriptions work. */
  | { readonly effect: 'silence' }
  /** Calls that require the leader are redirected to it. */
  | { readonly effect: 'not-leader'; readonly host: string; readonly port: number };

const SILENCE = 'silence';

/** The faults that a test has injected. */
export class Faults {
  private waiting: { readonly fault: Fault; left: number }[] = [];
  private readonly injections = new EventEmitter().setMaxListeners(0);

  inject(fault: Fault): void {
    if (fault.effect === 'silence') {
      this.injections.emit(SILENCE);
      return;
    }
    this.waiting.push({ fault, left: fault.times ?? Infinity });
    this.injections.emit(fault.on);
  }

  /** Resolves when a fault begins for an operation whose call began without one. */
  async injected(operation: Operation, signal: AbortSignal): Promise<void> {
    await once(this.injections, operation, { signal });
  }

  /** Resolves when subscriptions become silent. */
  async silenced(signal: AbortSignal): Promise<void> {
    await once(this.injections, SILENCE, { signal });
  }

  heal(): void {
    this.waiting = [];
  }

  /** Gives the fault of a call; undefined without one. */
  meet(operation: Operation, metadata: Metadata): Fault | undefined {
    const met = this.waiting.find(
      ({ fault }) => fault.on === operation && applies(fault, metadata),
    );
    if (met === undefined) return undefined;
    met.left -= 1;
    this.waiting = this.waiting.filter(({ left }) => left > 0);
    return met.fault;
  }
}

function applies(fault: Fault, metadata: Metadata): boolean {
  return fault.effect !== 'not-leader' || metadata.get('requires-leader').includes('true');
}

/** Applies a fault instead of the work, or before its answer. @throws Refusal */
export async function suffer<Answer>(
  fault: Fault | undefined,
  work: () => Promise<Answer>,
): Promise<Answer> {
  switch (fault?.effect) {
    case 'hang':
      return new Promise<never>(() => undefined);
    case 'not-leader':
      throw notLeader(fault.host, fault.port);
    case 'fail':
      if (fault.committed === true) await work();
      throw failure(fault.failure);
    case 'delay': {
      const [answer] = await Promise.all([work(), after(fault.ms)]);
      return answer;
    }
    case 'end':
    case 'silence':
    case undefined:
      return work();
  }
}
