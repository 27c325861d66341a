import { createServer, IncomingMessage, type RequestListener, ServerResponse } from 'node:http';
import { ExpressAdapter } from '@nestjs/platform-express';
import type { Response } from 'express';
import { isRead } from '../../../kernel/read.js';
import { markStale } from '../answers/stale.js';
import { boundedByConnection } from './connection-requests.js';
import { SERVER_OPTIONS } from './server-options.js';

/** The prototypes that Express sets on every request and response. */
type ExpressApplication = RequestListener & { request: object; response: object };

/**
 * An Express adapter that creates requests and responses with the prototypes that Express would set
 * on them later. A later change of prototype keeps V8 from caching property look-ups. Uncached
 * look-ups took a third of the request thread's time. The adapter serves plain HTTP and ignores
 * Nest's server options.
 */
export class StableShapesAdapter extends ExpressAdapter {
  override initHttpServer(): void {
    class ExpressRequest extends IncomingMessage {}
    class ExpressResponse extends ServerResponse {
      /** Says that the handler has ended. Node says nothing of an answer to a client who left. */
      override end(...content: unknown[]): this {
        this.emit('handled');
        return super.end(...(content as [unknown]));
      }
    }
    const express = this.getInstance<ExpressApplication>();
    Object.setPrototypeOf(ExpressRequest.prototype, express.request);
    Object.setPrototypeOf(ExpressResponse.prototype, express.response);
    express.request = ExpressRequest.prototype;
    express.response = ExpressResponse.prototype;
    const classes = { IncomingMessage: ExpressRequest, ServerResponse: ExpressResponse };
    this.setHttpServer(
      createServer({ ...SERVER_OPTIONS, ...classes }, boundedByConnection(express)),
    );
  }

  /** Sends what a handler returns. Of a `Read`, it sends what was found, and marks a late one. */
  override reply(response: Response, body: unknown, status?: number): unknown {
    if (!isRead(body)) return super.reply(response, body, status);
    markStale(response, body.isLate);
    return super.reply(response, body.found, status);
  }
}
