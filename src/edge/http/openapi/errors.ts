import { ApiOperation, type ApiResponseSchemaHost } from '@nestjs/swagger';
import { errorBody } from '../answers/error-body.js';
import { ERROR_TABLE, type Reason } from '../answers/error-table.js';
import { openListText } from '../fields/field-decorators.js';

const issue: ApiResponseSchemaHost['schema'] = {
  type: 'object',
  required: ['path', 'message'],
  properties: {
    path: { type: 'string', description: 'The invalid field, such as `external.user`.' },
    message: { type: 'string', description: 'The rule that the field violates.' },
  },
};

/** The schema of every error (docs/api.md 7). */
export const errorSchema: ApiResponseSchemaHost['schema'] = {
  type: 'object',
  required: ['error'],
  properties: {
    error: {
      type: 'object',
      description: 'The error.',
      required: ['code', 'message', 'metadata'],
      properties: {
        code: { type: 'integer', description: 'Equal to the HTTP status.' },
        message: { type: 'string', description: 'The error as text for people.' },
        metadata: {
          type: 'object',
          description: 'The reason of the error, and details of some errors.',
          required: ['reason'],
          properties: {
            reason: {
              type: 'string',
              description: `The error as a slug. The message may change, the slug does not. ${openListText(Object.keys(ERROR_TABLE))}`,
            },
            issues: {
              type: 'array',
              items: issue,
              description: 'Every invalid field, if fields are invalid.',
            },
          },
          additionalProperties: true,
        },
      },
    },
    service_metadata: {
      type: 'object',
      nullable: true,
      description: 'Data about the request.',
      properties: {
        request_id: { type: 'string', description: 'The id of the request, as in `X-Request-Id`.' },
      },
    },
    user_id: {
      type: 'string',
      nullable: true,
      description: 'The user of the key; null if the request failed before a key was found.',
    },
  },
};

/** The reasons of errors that follow from the form of an operation. */
export const BY_FORM = `Besides the reasons in its description, an operation may answer:

- 401 \`authentication-missing\`, \`authentication-malformed\`, \`key-invalid\`
- 403 \`not-a-management-key\`, if it does not accept API keys; \`role-missing\`
- with parameters or a body, 400 \`request-invalid\`
- with a parameter in the path, 404 \`not-found\`; for end users, \`organization-required\`
- with a body, 400 \`body-too-complex\`, 408 \`body-timeout\`, 413 \`body-too-large\`, 415 \`charset-unsupported\`, \`encoding-unsupported\`
- with a body whose unknown fields are ignored, and with \`Prefer: handling=strict\`, 400 \`unknown-field\`
- if it changes something, 413 \`change-too-large\`, 429 \`rate-limited\`, 503 \`too-many-writers\`
- 500 \`internal-error\`, 503 \`unavailable\`, \`event-unreadable\``;

/** Describes the errors of an operation. @param example one that needs no key and no body. */
export function errorAnswer(example: Reason, more = '') {
  const requestId = '7a1f6a0e-3c1d-4f7e-9a52-0b1c2d3e4f50';
  const body = errorBody({ reason: example, ...ERROR_TABLE[example] }, requestId);
  const schema = { $ref: '#/components/schemas/Error' };
  return {
    description: `The request failed; \`error.metadata.reason\` says why. [A table](docs/errors) has all reasons. ${more}`,
    content: { 'application/json': { schema, example: body } },
  };
}

/** Says below `Operation` what it refuses with besides `BY_FORM`. @param first is said before. */
export function Refuses(reasons: readonly Reason[], first = ''): MethodDecorator {
  const each = reasons.map((reason) => `${ERROR_TABLE[reason].status} \`${reason}\``);
  return ApiOperation({ description: `${first} Refuses with ${each.join(', ')}.`.trim() });
}
