import { jsc } from './rspack.config.js';

/**
 * A suffix says what a test costs: `.spec` is pure, `.int.spec` has a real adapter, `.e2e.spec`
 * speaks HTTP.
 */
export default {
  testEnvironment: '<rootDir>/test/support/harness/test-environment.mjs',
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  transform: { '^.+\\.ts$': ['@swc/jest', { jsc, module: { type: 'es6' } }] },
  roots: ['<rootDir>/src', '<rootDir>/test'],
  testMatch: ['**/*.spec.ts'],
  // Minutes of their own: `npm run test:servers`, `npm run test:drills`, `npm run test:abuse`.
  testPathIgnorePatterns: [
    '/node_modules/',
    '<rootDir>/test/(service/(servers|drills|abuse|clients)|support/backends)/',
    '/(eventstoredb|mongodb)/[^/]+\\.int\\.spec\\.ts$',
  ],
  testTimeout: 30_000,
  // A worker keeps what its suites leave. With 2 GB of it each collection of garbage takes a
  // second.
  workerIdleMemoryLimit: '1GB',
};
