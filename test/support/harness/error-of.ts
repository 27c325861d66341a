import { expect } from '@jest/globals';
import type { ErrorBody } from '../../../src/edge/http/answers/error-body.js';
import { ERROR_TABLE } from '../../../src/edge/http/answers/error-table.js';
import type { Answer } from './http-client.js';

export interface ErrorParts {
  readonly message: string;
  readonly reason: string;
  /** The metadata besides the reason; null for none. */
  readonly metadata: unknown;
  /** The fields at fault, in alphabetical order. */
  readonly paths: readonly string[];
  readonly userId: string | null;
}

/** Expects an answer to be an error of a status, in the form of all errors. Gives its parts. */
export function errorOf(answer: Answer, status: number): ErrorParts {
  expect(answer).toMatchObject({ status });
  expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(answer.headers.get('x-powered-by')).toBeNull();
  const body = answer.body as ErrorBody;
  expect(Object.keys(body).sort()).toEqual(['error', 'service_metadata', 'user_id']);
  expect(Object.keys(body.error).sort()).toEqual(['code', 'message', 'metadata']);
  expect(body.error.code).toBe(status);
  expect(body.service_metadata).toEqual({ request_id: answer.headers.get('x-request-id') });
  expect(body.service_metadata.request_id).toMatch(/^[\x20-\x7e]{1,128}$/);
  const { message, metadata } = body.error;
  const { reason, ...rest } = metadata;
  expect(Object.keys(ERROR_TABLE)).toContain(reason);
  const others = Object.keys(rest).length > 0 ? rest : null;
  return { message, reason, metadata: others, paths: pathsOf(metadata), userId: body.user_id };
}

function pathsOf(metadata: ErrorBody['error']['metadata']): string[] {
  const issues = metadata.issues ?? [];
  return (issues as readonly { readonly path: string }[]).map(({ path }) => path).sort();
}

/** Expects an answer to refuse a request of a user for what stands at some paths in it. */
export function expectInvalid(
  answer: Answer,
  { userId }: { readonly userId: string },
  ...paths: readonly string[]
): void {
  expect(errorOf(answer, 400)).toMatchObject({ message: 'Invalid request', paths, userId });
}
