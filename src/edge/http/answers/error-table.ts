import type { RefusalCode } from '../../../kernel/errors.js';

export interface Answer {
  readonly status: number;
  readonly message: string;
}

/** The answer to each error that is not a refusal (docs/api.md 7). Some answers have a more specific message. */
export const FAULT_TABLE = {
  'route-unknown': { status: 404, message: 'There is no such route' },
  'method-not-allowed': { status: 405, message: 'This route answers other methods' },
  'internal-error': { status: 500, message: 'Internal server error' },
  unavailable: { status: 503, message: 'The service is temporarily unavailable' },
  'event-unreadable': {
    status: 503,
    message: 'This build cannot read an event that the answer depends on',
  },
  'not-ready': { status: 503, message: 'Not ready' },
} satisfies Readonly<Record<string, Answer>>;

/** The code of an error that occurs before a use case runs, or of a fault of the service. */
export type FaultCode = keyof typeof FAULT_TABLE;

/** The answer to each refusal (docs/api.md 7). Some refusals come up at the command line only. */
export const ERROR_TABLE: Readonly<Record<RefusalCode, Answer>> = {
  'authentication-missing': { status: 401, message: 'Missing Authentication header' },
  'authentication-malformed': {
    status: 401,
    message: 'The Authorization header must have the form "Bearer <API_KEY>"',
  },
  'key-invalid': { status: 401, message: 'Invalid API key' },
  'not-a-management-key': {
    status: 403,
    message: 'Only management keys can perform this operation',
  },
  'key-disabled': { status: 401, message: 'Key is disabled' },
  'key-expired': { status: 401, message: 'Key has expired' },
  'request-invalid': { status: 400, message: 'Invalid request' },
  'no-update-fields': { status: 400, message: 'No update fields provided' },
  'body-too-complex': {
    status: 400,
    message: 'The request body is nested too deep or has too many values',
  },
  'body-timeout': { status: 408, message: 'The request body stopped arriving' },
  'body-too-large': { status: 413, message: 'The request body is too large' },
  'change-too-large': {
    status: 413,
    message: 'The change is larger than the event log takes in one append',
  },
  'charset-unsupported': { status: 415, message: 'The charset of the body is not UTF-8' },
  'encoding-unsupported': { status: 415, message: 'The content encoding is not supported' },
  'rate-limited': { status: 429, message: 'Rate limit exceeded' },
  'too-many-streams': { status: 429, message: 'Too many streams are being sent' },
  'http-version-unsupported': {
    status: 505,
    message: 'A stream needs HTTP/1.1; nginx asks in it with proxy_http_version 1.1',
  },
  'not-found': { status: 404, message: 'Resource not found' },
  'organization-required': {
    status: 404,
    message: 'End users belong to organizations; this account is not one',
  },
  'workspace-unknown': { status: 400, message: 'Unknown workspace' },
  'workspace-gone': {
    status: 409,
    message: 'The workspace of the key was deleted; move the key to another one to enable it',
  },
  'restrictions-incompatible': {
    status: 403,
    message: 'The target workspace lacks restrictions of the current one',
  },
  'creator-not-a-member': {
    status: 409,
    message: 'The creator of the key is not a member of the target workspace',
  },
  'end-user-already-registered': {
    status: 409,
    message: 'The tracking ID is already registered in this organization',
  },
  'workspace-slug-taken': {
    status: 409,
    message: 'Another workspace of the account has this slug',
  },
  'workspace-holds-keys': { status: 409, message: 'The workspace holds keys' },
  'default-workspace-not-deletable': {
    status: 403,
    message: 'The default workspace cannot be deleted',
  },
  'default-workspace-members-fixed': {
    status: 403,
    message: 'The members of the default workspace are those of the account',
  },
  'member-unknown': { status: 400, message: 'The user is no member of the account' },
  'account-already-exists': { status: 409, message: 'The account exists already' },
  'account-is-individual': { status: 409, message: 'An individual account has one user only' },
  'member-already-added': { status: 409, message: 'The user is a member of the account already' },
  'owner-not-removable': { status: 409, message: 'The owner of an account cannot be removed' },
  'workspace-member-already-added': {
    status: 409,
    message: 'The user is a member of the workspace already',
  },
  'workspace-member-unknown': { status: 400, message: 'The user is no member of the workspace' },
  'management-key-already-revoked': {
    status: 409,
    message: 'The management key was revoked before',
  },
  'quota-exceeded': { status: 409, message: 'A quota of the account is used up' },
  'too-many-writers': { status: 503, message: 'Too many change the same object at once' },
  'key-missing': { status: 401, message: 'The request carries no API key' },
  'key-ambiguous': { status: 401, message: 'A header that carries a key is given twice' },
  'wrong-workspace': { status: 403, message: 'The key is not in the workspace' },
  'limit-exceeded': { status: 403, message: 'The limit of the key is used up' },
  'gateway-unauthorized': { status: 403, message: 'The gateway is not authorized' },
  'usage-report-differs': {
    status: 409,
    message: 'A report with this id was accepted with other content',
  },
  'occurred-at-out-of-range': {
    status: 400,
    message: 'The time of a record is out of range',
  },
  'usage-behind': {
    status: 503,
    message: 'Usage is reported faster than it is counted; send the same report again',
  },
  'stored-usage-unknown': {
    status: 503,
    message: 'The change is stored, but what the key has used is unknown now',
  },
  'report-reversed': { status: 409, message: 'The report with this id was taken back' },
};

/** Every value that `metadata.reason` can have. */
export type Reason = RefusalCode | FaultCode;

/** The answer to each error, by its reason. */
export const ANSWERS: Readonly<Record<Reason, Answer>> = { ...ERROR_TABLE, ...FAULT_TABLE };
