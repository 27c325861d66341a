import { expect, it } from '@jest/globals';
import { Denied } from '../../../kernel/errors.js';
import { refused } from './faults.js';

it('a wrong password is denied access, which no waiting cures', () => {
  const fault = Object.assign(new Error('16 UNAUTHENTICATED: '), { code: 16 });
  expect(refused(fault)).toBeInstanceOf(Denied);
});
