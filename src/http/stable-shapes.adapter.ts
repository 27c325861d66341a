import {
  createServer,
  IncomingMessage,
  type RequestListener,
  type ServerOptions,
  ServerResponse,
} from 'node:http';
import { ExpressAdapter } from '@nestjs/platform-express';
import { oneAtATime } from './one-at-a-time.js';

/** What Express gives requests and responses as their prototypes, each time anew. */
type ExpressApplication = RequestListener & { request: object; response: object };

/**
 * Express, with requests and responses that are made with the prototypes it gives them. Given to an object that has
 * another one, a prototype makes V8 treat it as one of its kind: no look-up of its properties is ever cached, and each
 * property added to it leaves a hidden class to be collected. That took a third of the thread of requests. It serves plain
 * HTTP and takes none of Nest's options of a server.
 */
export class StableShapesAdapter extends ExpressAdapter {
  constructor(private readonly serverOptions: ServerOptions = {}) {
    super();
  }

  override initHttpServer(): void {
    class ExpressRequest extends IncomingMessage {}
    class ExpressResponse extends ServerResponse {}
    const express = this.getInstance<ExpressApplication>();
    Object.setPrototypeOf(ExpressRequest.prototype, express.request);
    Object.setPrototypeOf(ExpressResponse.prototype, express.response);
    express.request = ExpressRequest.prototype;
    express.response = ExpressResponse.prototype;
    const classes = { IncomingMessage: ExpressRequest, ServerResponse: ExpressResponse };
    this.setHttpServer(createServer({ ...this.serverOptions, ...classes }, oneAtATime(express)));
  }
}
