import { REASONS } from '../answers/error-table.js';
import type { OpenApiSchema } from './operation.js';

const issue: OpenApiSchema = {
  type: 'object',
  required: ['path', 'message'],
  properties: {
    path: { type: 'string', description: 'The field at fault, such as `external.user`.' },
    message: { type: 'string', description: 'The rule that the field breaks.' },
  },
};

/** The schema of every error (docs/api.md 7). */
export const errorSchema: OpenApiSchema = {
  type: 'object',
  required: ['error'],
  properties: {
    error: {
      type: 'object',
      description: 'The error.',
      required: ['code', 'message', 'metadata'],
      properties: {
        code: { type: 'integer', description: 'Equal to the HTTP status.' },
        message: { type: 'string', description: 'The error in words for people.' },
        metadata: {
          type: 'object',
          description: 'The reason of the error, and details of some errors.',
          required: ['reason'],
          properties: {
            reason: {
              type: 'string',
              enum: [...REASONS],
              description: 'The error as a slug. The message may change, the slug does not.',
            },
            issues: {
              type: 'array',
              items: issue,
              description: 'Every field at fault, if the fault is in fields.',
            },
          },
          additionalProperties: true,
        },
      },
    },
    service_metadata: {
      type: 'object',
      nullable: true,
      description: 'What the service knows of the request.',
      properties: {
        request_id: { type: 'string', description: 'The id of the request, as in `X-Request-Id`.' },
      },
    },
    user_id: {
      type: 'string',
      nullable: true,
      description: 'The user of the key, or null before a key was found.',
    },
  },
};
