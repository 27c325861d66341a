import type { NextFunction, Request, Response } from 'express';
import type { Trace } from '../../../kernel/metadata.js';
import { repeatsKey } from './request-id.js';

/** The form of `traceparent` in version 00. A later version may add more after a dash. */
const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(-.*)?$/;
const NO_VERSION = 'ff';
const ZEROS = /^0+$/;

/** Reads the caller's `traceparent`, for log lines and events (docs/api.md 1.4). */
export function assignTrace(request: Request, _: Response, next: NextFunction): void {
  const { traceparent } = request.headers;
  const trace = typeof traceparent === 'string' ? parseTraceparent(traceparent) : undefined;
  if (trace && !repeatsKey(request, trace.trace_id)) request.trace = trace;
  next();
}

/** Parses a `traceparent` of W3C. @returns undefined for an invalid one, which must be ignored. */
export function parseTraceparent(value: string): Trace | undefined {
  const [, version, trace_id = '', span_id = '', more] = TRACEPARENT.exec(value) ?? [];
  if (version === undefined || version === NO_VERSION) return undefined;
  if (version === '00' && more !== undefined) return undefined;
  if (ZEROS.test(trace_id) || ZEROS.test(span_id)) return undefined;
  return { trace_id, span_id };
}
