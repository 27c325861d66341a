import { REFUSALS, type RefusalCode } from '../../../kernel/refusals.js';

export interface TableRow {
  readonly status: number;
  readonly message: string;
}

/** The answer to each error that is no refusal (docs/api.md 7). Some have an exacter message. */
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
} satisfies Readonly<Record<string, TableRow>>;

/** The code of an error that occurs before a use case runs, or of a fault of the service. */
export type FaultCode = keyof typeof FAULT_TABLE;

/** The status of each refusal. Some refusals come up at the command line only. */
const STATUSES: Readonly<Record<RefusalCode, number>> = {
  'authentication-missing': 401,
  'authentication-malformed': 401,
  'key-invalid': 401,
  'not-a-management-key': 403,
  'role-missing': 403,
  'key-rotated': 401,
  'key-disabled': 401,
  'key-expired': 401,
  'request-invalid': 400,
  'unknown-field': 400,
  'no-update-fields': 400,
  'body-too-complex': 400,
  'body-timeout': 408,
  'body-too-large': 413,
  'change-too-large': 413,
  'charset-unsupported': 415,
  'encoding-unsupported': 415,
  'rate-limited': 429,
  'too-many-streams': 429,
  'http-version-unsupported': 505,
  'cursor-unknown': 400,
  'not-found': 404,
  'no-budget': 404,
  'organization-required': 404,
  'workspace-unknown': 400,
  'workspace-gone': 409,
  'restrictions-incompatible': 403,
  'creator-not-a-member': 409,
  'end-user-already-registered': 409,
  'workspace-slug-taken': 409,
  'workspace-holds-keys': 409,
  'default-workspace-not-deletable': 403,
  'default-workspace-members-fixed': 403,
  'member-unknown': 400,
  'account-already-exists': 409,
  'account-is-individual': 409,
  'member-already-added': 409,
  'owner-not-removable': 409,
  'workspace-member-already-added': 409,
  'workspace-member-unknown': 400,
  'beyond-own-key': 403,
  'last-admin-key': 409,
  'management-key-already-revoked': 409,
  'key-differs': 409,
  'hash-used': 409,
  'string-ended': 409,
  'grace-differs': 409,
  'too-many-strings': 409,
  'last-string': 409,
  'quota-exceeded': 409,
  'too-many-writers': 503,
  'key-missing': 401,
  'key-ambiguous': 401,
  'wrong-workspace': 403,
  'limit-exceeded': 403,
  'gateway-unauthorized': 403,
  'usage-report-differs': 409,
  'occurred-at-out-of-range': 400,
  'usage-behind': 503,
  'stored-usage-unknown': 503,
  'report-reversed': 409,
};

/** The answer to each refusal (docs/api.md 7). */
export const REFUSAL_TABLE = Object.fromEntries(
  Object.entries(STATUSES).map(([code, status]) => [
    code,
    { status, message: REFUSALS[code as RefusalCode] },
  ]),
) as Readonly<Record<RefusalCode, TableRow>>;

/** Every value that `metadata.reason` can have. */
export type Reason = RefusalCode | FaultCode;

/** The answer to each error, by its reason. */
export const ERROR_TABLE: Readonly<Record<Reason, TableRow>> = { ...REFUSAL_TABLE, ...FAULT_TABLE };
