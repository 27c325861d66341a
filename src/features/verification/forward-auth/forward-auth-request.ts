import type { Request } from 'express';
import { bearerToken } from '../../../edge/http/callers/bearer-key.js';
import { Refusal } from '../../../kernel/errors.js';
import { isCleanText } from '../../../kernel/text.js';
import { gatewayRefusal } from './forward-auth-answer.js';

/** The route of gateways. Every path below it belongs to the route too. */
export const AUTHORIZE = '/v1/authorize';

const BELOW = `${AUTHORIZE}/`;
const LIMIT_STATUSES = ['402', '403', '429'];

const IN_QUERY = { workspace: 'workspace_id', limitStatus: 'limit_status' };
const IN_HEADERS = {
  workspace: 'Keyledger-Require-Workspace',
  limitStatus: 'Keyledger-Limit-Status',
};

/** The options in a gateway's request (docs/api.md 12.4). */
export interface ForwardAuthOptions {
  /** The workspace that the key must be in; undefined for any workspace. */
  readonly workspaceId: string | undefined;
  readonly limitStatus: number;
}

/** Whether a request is a gateway's. A path below the route is a client's, and not decoded. */
export function isForwardAuth({ path }: Request): boolean {
  const asked = path.slice(0, BELOW.length).toLowerCase();
  return asked === BELOW || (asked === AUTHORIZE && path.length === AUTHORIZE.length);
}

/** Returns the gateway's own key string, if it is given. @throws Refusal when it is given twice. */
export function gatewayKey(request: Request): string | undefined {
  return bearerToken(onlyHeader(request, 'keyledger-authorization'));
}

/** Returns the client's key string. @throws Refusal without one, or for a key header sent twice. */
export function clientKey(request: Request): string {
  const apiKey = onlyHeader(request, 'x-api-key');
  const key = bearerToken(onlyHeader(request, 'authorization')) ?? apiKey;
  if (key === undefined || key === '') throw gatewayRefusal('NO_KEY');
  return key;
}

function onlyHeader({ headersDistinct }: Request, name: string): string | undefined {
  const [value, ...others] = headersDistinct[name] ?? [];
  if (others.length > 0) throw gatewayRefusal('AMBIGUOUS');
  return value;
}

/** Reads a request's options. @throws Refusal for an unknown, empty, wrong or repeated option. */
export function optionsOf({ path, query, headersDistinct }: Request): ForwardAuthOptions {
  const isBelow = path.length > AUTHORIZE.length;
  const { workspace, limitStatus } = isBelow ? IN_HEADERS : IN_QUERY;
  if (!isBelow) {
    const unknown = Object.keys(query).find((name) => name !== workspace && name !== limitStatus);
    if (unknown !== undefined) throw invalid(unknown.slice(0, 64), 'is not an option');
  }
  const given: Readonly<Record<string, unknown>> = isBelow ? headersDistinct : query;
  const status = onlyValue(given, limitStatus) ?? '403';
  if (!LIMIT_STATUSES.includes(status)) throw invalid(limitStatus, 'must be 402, 403 or 429');
  return { workspaceId: onlyValue(given, workspace), limitStatus: Number(status) };
}

function onlyValue(given: Readonly<Record<string, unknown>>, name: string): string | undefined {
  const values = given[name.toLowerCase()];
  if (values === undefined) return undefined;
  const [value, ...others] = [values].flat();
  if (others.length > 0 || typeof value !== 'string' || value === '' || !isCleanText(value)) {
    throw invalid(name, 'must be given once, and not be empty');
  }
  return value;
}

function invalid(path: string, message: string): Refusal {
  return new Refusal('request-invalid', { issues: [{ path, message }] });
}
