import { Controller, Inject, Post, Req } from '@nestjs/common';
import { ApiBasicAuth, ApiBody, ApiConsumes, ApiTags } from '@nestjs/swagger';
import express from 'express';
import { requireBearerKey } from '../../edge/http/callers/bearer-key.js';
import { AskedAt, type Caller, CurrentCaller } from '../../edge/http/callers/caller.js';
import { KeyStringFrom, VerificationRoute } from '../../edge/http/callers/key.guard.js';
import { For } from '../../edge/http/callers/roles.js';
import { Flag, Shown, Text } from '../../edge/http/fields/field-decorators.js';
import { BodySchema } from '../../edge/http/fields/mapped-fields.js';
import { decoded } from '../../edge/http/fields/query-string.js';
import * as answer from '../../edge/http/openapi/answer.js';
import { Operation } from '../../edge/http/openapi/operation.js';
import { BODY_LIMIT_BYTES, BodyOf } from '../../edge/http/requests/json-body.guard.js';
import { readBody, requireUtf8 } from '../../edge/http/requests/read-body.js';
import { SlotsOf } from '../../edge/rate-limits/account-concurrency.guard.js';
import { Refusal } from '../../kernel/errors.js';
import { earlier } from '../../kernel/utc-timestamp.js';
import { stringOf } from '../keys/domain/key-strings.js';
import { askedKey, FOREIGN_KEYS } from './asked-key.js';
import { Verifier } from './verifier.js';

/** The injection token for the value of `iss`. If undefined, answers have no `iss`. */
export const ISSUER = Symbol('Issuer');

const TEXT = { type: String, required: false };
const SECONDS = { type: 'integer', required: false } as const;

@BodySchema({ example: { token: 'the key string' } })
class IntrospectKeyRequest {
  @Text('The key string. It is neither stored nor logged.')
  readonly token!: string;

  @Shown('The management key, if no header has it.', TEXT)
  readonly client_secret?: string;
}

class Introspection {
  @Flag('Whether the key may be used. If not, there is no other field.')
  readonly active!: boolean;

  @Shown('Identifier of the key: SHA-256 of its first key string, in hex.', TEXT)
  readonly client_id?: string;

  @Shown('The same hash.', TEXT)
  readonly sub?: string;

  @Shown('Tracking ID of the end user that the key is for, if there is one.', TEXT)
  readonly username?: string;

  @Shown('Time at which the string was added to the key, in seconds since 1970.', SECONDS)
  readonly iat?: number;

  @Shown(
    'Time at which the key expires or the string ends, in seconds since 1970, rounded down; absent if never.',
    SECONDS,
  )
  readonly exp?: number;

  @Shown('`PUBLIC_URL`, if it is set.', TEXT)
  readonly iss?: string;

  @Shown('Always `api_key`.', TEXT)
  readonly token_type?: string;
}

const parse = express.text({ type: () => true, limit: BODY_LIMIT_BYTES, verify: requireUtf8 });

/**
 * Reads the form of a request. The guard may need the form for the caller's key, and the route
 * reads it again, which is safe: the parser does nothing once it has read a body.
 */
async function formOf(request: express.Request): Promise<URLSearchParams> {
  await readBody(request, request.res as express.Response, BODY_LIMIT_BYTES, parse);
  return new URLSearchParams(String(request.body ?? ''));
}

const BASIC = /^Basic +([\w+/=-]+)$/i;

/** Takes the management key as Bearer, Basic's password, or else `client_secret` in the form. */
async function clientKeyString(request: express.Request): Promise<string> {
  const { authorization = [] } = request.headersDistinct;
  if (authorization.length === 0) {
    const secret = (await formOf(request)).get('client_secret');
    if (secret !== null) return secret;
  }
  const basic = BASIC.exec(authorization.join())?.[1];
  if (basic === undefined) return requireBearerKey(request);
  const pair = Buffer.from(basic, 'base64').toString();
  // RFC 6749 has clients percent-encode the password, and some encode even its hyphens.
  return decoded(pair.slice(pair.indexOf(':') + 1)) ?? '';
}

/** @throws Refusal unless the form has one token, and the management key stands in one place. */
function tokenIn(form: URLSearchParams, { headersDistinct }: express.Request): string {
  const [token, ...others] = form.getAll('token');
  if (!token || others.length > 0) throw notOnce('token');
  const headers = headersDistinct.authorization ?? [];
  if (form.getAll('client_secret').length + headers.length > 1) throw notOnce('client_secret');
  return token;
}

function notOnce(path: string): Refusal {
  const message = 'must be given once, as the only one of its kind, and not be empty';
  return new Refusal('request-invalid', { issues: [{ path, message }] });
}

/** The introspection of keys by RFC 7662 (docs/api.md 12.5). */
@ApiTags('Verification')
@Controller('v1/oauth')
export class IntrospectionController {
  constructor(
    private readonly verifier: Verifier,
    @Inject(ISSUER) private readonly issuer: string | undefined,
    @Inject(FOREIGN_KEYS) private readonly foreignKeys: boolean,
  ) {}

  @Post('introspect')
  @KeyStringFrom(clientKeyString)
  @BodyOf({ readBy: formOf })
  @SlotsOf('verifications')
  @VerificationRoute(true)
  @For('gateways')
  @ApiBasicAuth()
  @ApiConsumes('application/x-www-form-urlencoded')
  @ApiBody({ type: IntrospectKeyRequest })
  @Operation('introspectKey', 'Introspect a key by RFC 7662', answer.bare(Introspection))
  async introspect(
    @Req() request: express.Request,
    @CurrentCaller() { accountId }: Caller,
    @AskedAt() askedAt: number,
  ): Promise<Introspection> {
    const token = tokenIn(await formOf(request), request);
    const asked = askedKey(token, this.foreignKeys);
    const { code, key } = await this.verifier.verify({ accountId, asked, askedAt });
    if (code !== 'VALID' || !key || typeof asked === 'string') return { active: false };
    const string = stringOf(key, asked.hash);
    const expiresAt = earlier(key.expires_at, string?.ends_at ?? null);
    return {
      active: true,
      client_id: key.hash,
      sub: key.hash,
      ...(key.external_user !== null && { username: key.external_user }),
      iat: secondsOf(string?.created_at ?? key.created_at),
      ...(expiresAt !== null && { exp: secondsOf(expiresAt) }),
      ...(this.issuer !== undefined && { iss: this.issuer }),
      token_type: 'api_key',
    };
  }
}

function secondsOf(time: string): number {
  return Math.floor(Date.parse(time) / 1_000);
}
