import type { ApiResponseOptions } from '@nestjs/swagger';

type HeadersObject = NonNullable<ApiResponseOptions['headers']>;

const HEADERS = {
  'X-Request-Id': ['string', 'The id of the request: the id that the caller sent, or a new one.'],
  'Keyledger-Stale': [
    'string',
    '`true` when the answer may lack writes that were answered before the request; otherwise absent.',
  ],
  'Retry-After': ['integer', 'Seconds to wait before trying again.'],
  'WWW-Authenticate': ['string', '`Bearer`.'],
  'Cache-Control': ['string', '`no-store`, so that no cache keeps the key string.'],
  Vary: ['string', '`Accept`.'],
  'Keyledger-Code': ['string', 'The code of the verification, or of the refusal of the gateway.'],
  'Keyledger-Key-Hash': ['string', 'SHA-256 of the key string in hex.'],
  'Keyledger-Account': ['string', 'The account of the key.'],
  'Keyledger-Workspace': ['string', 'The workspace of the key.'],
  'Keyledger-External-User': ['string', 'The external user, percent-encoded, or empty.'],
  'Keyledger-Limit-Remaining': ['string', 'The amount left under the limit, in USD, or empty.'],
  'RateLimit-Limit': ['integer', 'Requests allowed in a window.'],
  'RateLimit-Remaining': ['integer', 'Requests left in this window.'],
  'RateLimit-Reset': ['integer', 'Seconds until the window ends.'],
} as const;

export type DescribedHeader = keyof typeof HEADERS;

/** Describes the headers of an answer. All headers are required, except `Keyledger-Stale`. */
export function headersOf(names: readonly DescribedHeader[]): HeadersObject {
  return headersOfAny([names]);
}

/** Describes the headers of several answers together. A header that at least one answer lacks is not required. */
export function headersOfAny(answers: readonly (readonly DescribedHeader[])[]): HeadersObject {
  const named = new Set(answers.flat());
  return Object.fromEntries(
    [...named].map((name) => {
      const [type, description] = HEADERS[name];
      const required = name !== 'Keyledger-Stale' && answers.every((names) => names.includes(name));
      return [name, { description, required, schema: { type } }];
    }),
  );
}
