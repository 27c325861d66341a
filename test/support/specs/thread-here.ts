import { EventEmitter } from 'node:events';
import { MessageChannel, type MessagePort, receiveMessageOnPort } from 'node:worker_threads';
import type { FoldingThread } from '../../../src/event-sourcing/projections/thread/projection-thread.js';
import type { ThreadRequest } from '../../../src/event-sourcing/projections/thread/projection-thread.js';

/** Runs the program of a thread in this thread. Messages pass a channel that copies them, as between threads. */
export class ThreadHere extends EventEmitter implements FoldingThread {
  readonly #channel = new MessageChannel();
  #fault: Error | undefined;

  /** @param serve the program of the thread, with its end of the channel. The thread ends when the program ends. */
  constructor(serve: (port: MessagePort) => Promise<void>) {
    super();
    this.#channel.port1.on('message', (report: unknown) => this.emit('message', report));
    void serve(this.#channel.port2).then(
      () => this.#end(),
      (fault: unknown) => {
        this.#fault ??= fault instanceof Error ? fault : new Error(String(fault));
        this.#end();
      },
    );
  }

  postMessage(request: ThreadRequest): void {
    this.#channel.port1.postMessage(request);
  }

  /** Ends the thread like an uncaught error. */
  fail(fault: Error): void {
    this.#fault = fault;
    this.postMessage({ kind: 'stop' });
  }

  async terminate(): Promise<void> {
    this.#end();
  }

  #end(): void {
    const { port1 } = this.#channel;
    // Messages that a thread sent before its end still arrive.
    for (let left = receiveMessageOnPort(port1); left; left = receiveMessageOnPort(port1)) {
      this.emit('message', left.message);
    }
    port1.close();
    if (this.#fault) this.emit('error', this.#fault);
    this.emit('exit', this.#fault ? 1 : 0);
  }
}
