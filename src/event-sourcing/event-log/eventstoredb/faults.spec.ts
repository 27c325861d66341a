import { expect, it } from '@jest/globals';
import { Denied } from '../../../kernel/errors.js';
import { finalError } from './faults.js';

it('an event that is too large for the server is refused with the limit of the server', () => {
  const id = '2fb0e4c1-4c50-4d6e-9b0a-4b3c2d1e0f9a';
  const words = `3 INVALID_ARGUMENT: Event with Id: ${id}, Size: 316, exceeds Maximum Append Event Size of 300.`;
  expect(finalError(new Error(words), 'event log')).toMatchObject({
    name: 'Refusal',
    code: 'change-too-large',
    details: { limit_bytes: 300 },
  });
});

it('a wrong password is denied access, which no waiting cures', () => {
  const fault = Object.assign(new Error('16 UNAUTHENTICATED: '), { code: 16 });
  const denied = finalError(fault, 'usage log');
  expect(denied).toBeInstanceOf(Denied);
  expect(denied).toMatchObject({ part: 'usage log' });
});
