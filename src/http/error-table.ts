import type { RefusalCode } from '../kernel/errors.js';

interface Answer {
  readonly status: number;
  readonly message: string;
}

/** What a caller is told of each refusal (docs/api.md 7). Those without a route of their own yet are the command line's. */
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
  'body-too-large': { status: 413, message: 'The request body is too large' },
  'encoding-unsupported': { status: 415, message: 'The content encoding is not supported' },
  'rate-limited': { status: 429, message: 'Rate limit exceeded' },
  'not-found': { status: 404, message: 'Resource not found' },
  'organization-required': {
    status: 404,
    message: 'End users belong to organizations; this account is not one',
  },
  'workspace-unknown': { status: 400, message: 'Unknown workspace' },
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
};
