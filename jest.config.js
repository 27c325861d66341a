import { jsc } from './rspack.config.js';

/** How the console (src/console) becomes JavaScript. Its build reads this from its tsconfig. */
const jsx = {
  target: jsc.target,
  parser: { syntax: 'typescript', tsx: true },
  transform: { react: { runtime: 'automatic', importSource: 'preact' } },
};

/**
 * A suffix says what a test costs: `.spec` is pure, `.int.spec` has a real adapter, `.e2e.spec`
 * speaks HTTP.
 */
export default {
  testEnvironment: '<rootDir>/test/support/harness/test-environment.mjs',
  testSequencer: '<rootDir>/test/support/harness/longest-first.mjs',
  extensionsToTreatAsEsm: ['.ts', '.tsx'],
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  transform: {
    '^.+\\.ts$': ['@swc/jest', { jsc, module: { type: 'es6' } }],
    '^.+\\.tsx$': ['@swc/jest', { jsc: jsx, module: { type: 'es6' } }],
  },
  roots: ['<rootDir>/src', '<rootDir>/test'],
  testMatch: ['**/*.spec.ts', '**/*.spec.tsx'],
  // Minutes of their own: `npm run test:servers`, `npm run test:drills`, `npm run test:abuse`.
  testPathIgnorePatterns: [
    '/node_modules/',
    '<rootDir>/test/(service/(servers|drills|abuse|clients)|support/backends)/',
    '/(eventstoredb|mongodb)/[^/]+\\.int\\.spec\\.ts$',
  ],
  // It ends what hangs. On a full machine, tests at random and of large logs take half of it.
  testTimeout: 60_000,
  // A worker keeps what its suites leave. With 2 GB of it each collection of garbage takes a
  // second.
  workerIdleMemoryLimit: '1GB',
};
