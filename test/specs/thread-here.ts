import { EventEmitter } from 'node:events';
import { MessageChannel, type MessagePort, receiveMessageOnPort } from 'node:worker_threads';
import type { FoldingThread } from '../../src/projections/thread/projection-thread.js';
import type { ThreadRequest } from '../../src/projections/thread/thread-messages.js';

/** What a thread would do, in this one: it hears and tells through a channel that copies, as one between threads does. */
export class ThreadHere extends EventEmitter implements FoldingThread {
  readonly #channel = new MessageChannel();
  #fault: Error | undefined;

  /** @param serve what the thread does with its end of the channel; the thread ends with it. */
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

  /** Ends as a thread does in which nobody caught an error. */
  fail(fault: Error): void {
    this.#fault = fault;
    this.postMessage({ kind: 'stop' });
  }

  async terminate(): Promise<void> {
    this.#end();
  }

  #end(): void {
    const { port1 } = this.#channel;
    // A thread that has ended is heard to the end.
    for (let left = receiveMessageOnPort(port1); left; left = receiveMessageOnPort(port1)) {
      this.emit('message', left.message);
    }
    port1.close();
    if (this.#fault) this.emit('error', this.#fault);
    this.emit('exit', this.#fault ? 1 : 0);
  }
}
