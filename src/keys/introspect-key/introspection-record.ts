import { ApiSchema } from '@nestjs/swagger';
import type { DescribedRecord } from '../../http/described-answers.js';
import { Flag, Shown } from '../../http/field-decorators.js';
import type { Verification } from '../verification-record.js';

/** The injection token for the value of `iss`, the address that callers use. If undefined, answers have no `iss`. */
export const ISSUER = Symbol('Issuer');

@ApiSchema({ name: 'Introspection' })
class IntrospectionShape {
  @Flag('Whether the key may be used. The other fields are there only if it may.')
  readonly active: boolean = false;

  @Shown('SHA-256 of the key string in hex.', { type: String, required: false })
  readonly client_id?: string;

  @Shown('The same hash.', { type: String, required: false })
  readonly sub?: string;

  @Shown('The end user whom the key is for, if there is one.', { type: String, required: false })
  readonly username?: string;

  @Shown('When the key was created, in seconds since 1970.', { type: 'integer', required: false })
  readonly iat?: number;

  @Shown(
    'When the key expires, in seconds since 1970, rounded down; absent for a key that never expires.',
    {
      type: 'integer',
      required: false,
    },
  )
  readonly exp?: number;

  @Shown('`PUBLIC_URL`, if it is set.', { type: String, required: false })
  readonly iss?: string;

  @Shown('Always `api_key`.', { type: String, required: false })
  readonly token_type?: string;
}

/** The answer to an introspection, in the form of RFC 7662 (docs/api.md 12.5). */
export type IntrospectionRecord = Pick<IntrospectionShape, keyof IntrospectionShape>;

/** Returns the introspection for a verification. Every key that may not be used gets the same record. */
export function presentIntrospection(
  { code, key }: Verification,
  issuer: string | undefined,
): IntrospectionRecord {
  if (code !== 'VALID' || !key) return { active: false };
  return {
    active: true,
    client_id: key.hash,
    sub: key.hash,
    ...(key.external_user !== null && { username: key.external_user }),
    iat: secondsOf(key.created_at),
    ...(key.expires_at !== null && { exp: secondsOf(key.expires_at) }),
    ...(issuer !== undefined && { iss: issuer }),
    token_type: 'api_key',
  };
}

function secondsOf(timestamp: string): number {
  return Math.floor(Date.parse(timestamp) / 1_000);
}

/** The record of an introspection as the OpenAPI document describes it. */
export const describedIntrospection: DescribedRecord<IntrospectionRecord> = {
  shape: IntrospectionShape,
  example: {
    active: true,
    client_id: '3f0f6a2f5f9c1f0a7d3e5b8c9d0e1f2a3b4c5d6e7f8091a2b3c4d5e6f7081920',
    sub: '3f0f6a2f5f9c1f0a7d3e5b8c9d0e1f2a3b4c5d6e7f8091a2b3c4d5e6f7081920',
    username: 'customer-42',
    iat: 1_764_115_200,
    exp: 1_798_761_600,
    iss: 'https://keys.example.com',
    token_type: 'api_key',
  },
};
