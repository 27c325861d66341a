import type { Metadata } from '@grpc/grpc-js';
import { EventEmitter, once } from 'node:events';
import { setTimeout as after } from 'node:timers/promises';
import { type Failure, failure, notLeader } from './refusal.js';

/** `all` are reads of the whole log and subscriptions to it, also those that are under way. */
export type Operation = 'append' | 'read' | 'subscribe' | 'all' | 'features';

/** What goes wrong, on one kind of call, for the next `times` calls or until it is healed. */
export type Fault = { readonly on: Operation; readonly times?: number } & Effect;

export type Effect =
  /** The answer comes late; what was asked is done at once. */
  | { readonly effect: 'delay'; readonly ms: number }
  /** Nothing is done, and no answer comes. */
  | { readonly effect: 'hang' }
  /** The answer is an error; with `committed`, though the append was done. */
  | { readonly effect: 'fail'; readonly failure: Failure; readonly committed?: boolean }
  /** A read or subscription ends after so many events, one or more: with an error, or as if there were no more. */
  | { readonly effect: 'end'; readonly afterEvents: number; readonly failure?: Failure }
  /** Subscriptions that are under way send nothing any more, and stay open. Later ones are not touched. */
  | { readonly effect: 'silence' }
  /** Calls that require the leader are sent to it. */
  | { readonly effect: 'not-leader'; readonly host: string; readonly port: number };

const SILENCE = 'silence';

/** The faults a test has asked for. */
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

  /** Resolves when a fault of an operation comes, for a call that began without one. */
  async injected(operation: Operation, signal: AbortSignal): Promise<void> {
    await once(this.injections, operation, { signal });
  }

  /** Resolves when subscriptions are silenced. */
  async silenced(signal: AbortSignal): Promise<void> {
    await once(this.injections, SILENCE, { signal });
  }

  heal(): void {
    this.waiting = [];
  }

  /** The fault that a call meets, if there is one. */
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

/** What happens instead of the work, or before its answer. @throws Refusal */
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
      const answer = await work();
      await after(fault.ms);
      return answer;
    }
    case 'end':
    case 'silence':
    case undefined:
      return work();
  }
}
