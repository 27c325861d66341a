import type { Request } from 'express';
import { bearerToken } from '../../../edge/http/callers/bearer-key.js';
import { TRACKING_STRING_RULE } from '../../../edge/http/fields/field-decorators.js';
import { decoded, parseQueryString, UNDECODABLE } from '../../../edge/http/fields/query-string.js';
import { shownName } from '../../../edge/http/fields/shape.pipe.js';
import { Refusal } from '../../../kernel/errors.js';
import { isCleanText } from '../../../kernel/text.js';
import { isTrackingString } from '../../../kernel/tracking-string.js';
import { gatewayRefusal } from './forward-auth-answer.js';

/** The route of gateways. Every path below it belongs to the route too. */
export const AUTHORIZE = '/v1/authorize';

const BELOW = `${AUTHORIZE}/`;
const LIMIT_STATUSES = ['402', '403', '429'];

const IN_QUERY = { workspace: 'workspace_id', limitStatus: 'limit_status', user: 'user' };
const IN_HEADERS = {
  workspace: 'Keyledger-Require-Workspace',
  limitStatus: 'Keyledger-Limit-Status',
  user: 'Keyledger-End-User',
};

const IN_QUERY_NAMES: ReadonlySet<string> = new Set(Object.values(IN_QUERY));

/** The options in a gateway's request (docs/api.md 12.4). */
export interface ForwardAuthOptions {
  /** The workspace that the key must be in; undefined for any workspace. */
  readonly workspaceId: string | undefined;
  /** The end user who sends the client's request, as the gateway has authenticated them. */
  readonly user: string | undefined;
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
export function optionsOf(request: Request): ForwardAuthOptions {
  const isBelow = request.path.length > AUTHORIZE.length;
  const names = isBelow ? IN_HEADERS : IN_QUERY;
  const given: Readonly<Record<string, unknown>> = isBelow
    ? request.headersDistinct
    : knownOptions(request.query);
  const status = onlyValue(given, names.limitStatus) ?? '403';
  if (!LIMIT_STATUSES.includes(status)) throw invalid(names.limitStatus, 'must be 402, 403 or 429');
  const users = isBelow ? usersInHeader(request) : usersInQuery(request, given);
  return {
    workspaceId: onlyValue(given, names.workspace),
    user: onlyUser(users, names.user),
    limitStatus: Number(status),
  };
}

function knownOptions<Query extends object>(query: Query): Query {
  const unknown = Object.keys(query).find((name) => !IN_QUERY_NAMES.has(name));
  if (unknown !== undefined) throw invalid(shownName(unknown), 'is not an option');
  return query;
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

/** Takes an empty value for none, because nginx sends a variable that is not set as empty. */
function onlyUser(users: readonly string[], name: string): string | undefined {
  const [user = '', ...others] = users;
  if (others.length > 0) throw invalid(name, 'must be given once');
  if (user === '') return undefined;
  if (!isTrackingString(user)) throw invalid(name, TRACKING_STRING_RULE);
  return user;
}

function usersInHeader({ headersDistinct }: Request): readonly string[] {
  const values = headersDistinct[IN_HEADERS.user.toLowerCase()] ?? [];
  return values.map((value) => decoded(asBytes(value)) ?? UNDECODABLE);
}

/** Reads the query again, because in the form encoding of the other options `+` is a space. */
function usersInQuery({ url }: Request, { user }: { readonly user?: unknown }): readonly string[] {
  if (user === undefined) return [];
  const { user: users = [] } = parseQueryString(asBytes(url.slice(url.indexOf('?') + 1)));
  return [users].flat();
}

/** Percent-encodes `+`, which stands for itself, and bytes that are no ASCII, one by one. */
function asBytes(text: string): string {
  return text.replace(/[+\x80-\xff]/g, (byte) => `%${byte.charCodeAt(0).toString(16)}`);
}

function invalid(path: string, message: string): Refusal {
  return new Refusal('request-invalid', { issues: [{ path, message }] });
}
