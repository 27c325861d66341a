import { expect, it } from '@jest/globals';
import type { ApiDescription } from './api-description.js';
import type { Answer } from './http-client.js';
import { AnsweredErrors } from './answered-errors.js';

const NOT_FOUND = { error: { code: 404, message: 'Not found' } };

const description: ApiDescription = {
  paths: {
    '/v1/keys/{hash}': {
      get: {
        parameters: [],
        summary: '',
        operationId: 'readKey',
        responses: {
          404: {
            content: { 'application/json': { schema: {}, examples: { a: { value: NOT_FOUND } } } },
          },
        },
      },
    },
  },
  components: { schemas: {} },
};

const answer = (status: number, message: string): Answer => ({
  status,
  headers: new Headers(),
  text: '',
  body: { error: { message } },
});

it('errors are found that their operation does not describe, by path, status and message', () => {
  const errors = new AnsweredErrors();
  errors.hear('GET', '/v1/keys/abc?x=1', answer(404, 'Not found'));
  errors.hear('GET', '/v1/keys/abc', answer(200, 'It went well'));
  errors.hear('POST', '/v1/keys/abc', answer(405, 'This route answers GET'));
  expect(errors.undescribedIn(description)).toEqual([]);
  errors.hear('GET', '/v1/keys/abc', answer(409, 'Not found'));
  errors.hear('GET', '/V1/keys/abc/', answer(404, 'Gone'));
  expect(errors.undescribedIn(description)).toEqual([
    { method: 'GET', path: '/v1/keys/abc', status: 409, message: 'Not found' },
    { method: 'GET', path: '/V1/keys/abc/', status: 404, message: 'Gone' },
  ]);
});
