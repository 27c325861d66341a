import { describe, expect, it } from '@jest/globals';
import { MongoMissingDependencyError, MongoNetworkError, MongoServerError } from 'mongodb';
import { isDenial } from './server-errors.js';

describe('a fault of MongoDB', () => {
  it.each([
    ['a wrong password', new MongoServerError({ message: 'Authentication failed.', code: 18 })],
    ['a mechanism that it lacks', new MongoServerError({ message: 'unsupported', code: 334 })],
    ['a user without the right', new MongoServerError({ message: 'not authorized', code: 13 })],
    [
      'a missing module',
      new MongoMissingDependencyError('kerberos', {
        dependencyName: 'kerberos',
        cause: new Error(),
      }),
    ],
  ])('is cured by no waiting, as %s', (_, error) => {
    expect(isDenial(error)).toBe(true);
  });

  it.each([
    ['a connection that is refused', new MongoNetworkError('ECONNREFUSED')],
    ['a step-down', new MongoServerError({ message: 'not primary', code: 10_107 })],
  ])('may pass, as %s', (_, error) => {
    expect(isDenial(error)).toBe(false);
  });
});
