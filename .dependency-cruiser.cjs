const spec = '\\.spec\\.tsx?$';

/** @param {string} name @param {string} comment @param {object} from @param {object} to */
const forbid = (name, comment, from, to) => ({ name, comment, severity: 'error', from, to });

/** Everything but the paths given. @param {...string} paths */
const except = (...paths) => ({ pathNot: paths });

/** The groups of src/, in their order: each sees itself and those before it. */
const GROUPS = ['kernel', 'event-sourcing', 'edge', 'features', 'host'];

const directions = GROUPS.slice(0, -1).map((group, place) =>
  forbid(
    `direction-of-${group}`,
    'A group sees itself and the groups before it: kernel, event-sourcing, edge, features, host.',
    { path: `^src/${group}/`, pathNot: spec },
    { path: `^src/(${GROUPS.slice(place + 1).join('|')})/` },
  ),
);

const PURE_PACKAGES = '^node_modules/(zod|immutable|big\\.js|@types/big\\.js)/';
const FEATURE = '^src/features/([^/]+)/';
const AUDIT_TRAIL = '^src/features/audit-trail/';
const BUDGETS = '^src/features/budgets/';
const VERIFICATION = '^src/features/verification/';
const USAGE = '^src/features/usage/';
const END_USER = '^src/features/end-users/domain/end-user\\.ts$';
const CONSOLE = '^src/console/';
const UNDECLARED = ['npm-no-pkg', 'npm-unknown', 'unknown', 'undetermined'];
const LOG = '^src/event-sourcing/event-log/';
const PORTS = '^src/event-sourcing/(event-log|read-store)';
const OPENS = `${PORTS}/(embedded-event-log|copy-embedded-log|claim-embedded-logs|open-event-log|open-read-store)\\.ts$`;
const BUDGET = `${BUDGETS}domain/budget\\.ts$`;
const EVENTS = '/domain/[^/]+\\.events\\.ts$';

/** The import fences: who may import whom, and why. */
module.exports = {
  forbidden: [
    forbid('no-cycles', 'A cycle has no first file to read.', {}, { circular: true }),
    ...directions,
    forbid(
      'kernel',
      'The kernel imports nothing. Key strings need hashes and checksums.',
      { path: '^src/kernel/', pathNot: spec },
      except('^src/kernel/', '^(node:)?(crypto|zlib)$', '^package\\.json$'),
    ),
    forbid(
      'domain',
      'A domain sees the kernel, itself, what a budget is, pure packages and hashes.',
      { path: '^src/features/([^/]+)/domain/', pathNot: [spec, AUDIT_TRAIL, VERIFICATION, USAGE] },
      except('^src/features/$1/domain/', BUDGET, '^src/kernel/', PURE_PACKAGES, '^(node:)?crypto$'),
    ),
    forbid(
      'verification-domain',
      'A verification decides about a key by the domain of keys.',
      { path: `${VERIFICATION}domain/`, pathNot: spec },
      except(`${VERIFICATION}domain/`, '^src/features/keys/domain/', '^src/kernel/', PURE_PACKAGES),
    ),
    forbid(
      'usage-domain',
      'Usage is summed up as limits count it, by the names of what has one.',
      { path: `${USAGE}domain/`, pathNot: spec },
      except(
        `${USAGE}domain/`,
        '^src/features/keys/domain/(key|limit)\\.ts$',
        END_USER,
        '^src/kernel/',
        PURE_PACKAGES,
        '^(node:)?crypto$',
      ),
    ),
    forbid(
      'audit-trail-domain',
      'The descriptions of events see the events, the kernel and hashes.',
      { path: `${AUDIT_TRAIL}domain/`, pathNot: spec },
      except(`${AUDIT_TRAIL}domain/`, '^src/kernel/', EVENTS, '^(node:)?crypto$'),
    ),
    forbid(
      'projection-folds',
      'A fold sees its events, what a projection is and how to count by rank.',
      { path: '^src/features/([^/]+)/.*\\.projection\\.ts$' },
      except(
        '^src/features/$1/domain/',
        '^src/kernel/',
        '^src/event-sourcing/projections/(projection|rank-counts)\\.ts$',
      ),
    ),
    forbid(
      'adapters',
      'An adapter sees its ports, the kernel, its driver, how to wait and where it keeps its files, and no other adapter.',
      { path: `${PORTS}/([^/]+)/`, pathNot: spec },
      except(
        '^src/event-sourcing/$1/$2/',
        '^src/event-sourcing/$1/(event-log|connection-roles|read-store)\\.ts$',
        '^src/kernel/',
        '^src/event-sourcing/((sqlite|waiting)/|system-error\\.ts$)',
        '^(node:)?(crypto|events|fs|path|timers|timers/promises|util)$',
        '^node_modules/(better-sqlite3|@types/better-sqlite3|@eventstore/db-client|mongodb)/',
      ),
    ),
    forbid(
      'sqlite-is-opened-once',
      'Whatever opens a database of its own may lose it to the garbage collector.',
      { path: '^src/', pathNot: ['^src/event-sourcing/sqlite/', spec] },
      { path: 'node_modules/better-sqlite3/', dependencyTypesNot: ['type-only'] },
    ),
    forbid(
      'backends-are-named-once',
      'Only what opens a log or a read store names a backend.',
      {
        pathNot: [`${PORTS}/[^/]+/`, OPENS, '^test/', '^bench/', spec],
      },
      { path: `${PORTS}/[^/]+/` },
    ),
    forbid(
      'commands-never-read',
      'A command decides on the log, never on a read model, but for two counts of keys that no stream has: key-quota.ts asks for that of an account, and the deletion of a workspace for its own, by a port.',
      { path: '^src/.*\\.commands\\.ts$' },
      { path: ['^src/event-sourcing/read-store/', '-directory/'] },
    ),
    forbid(
      'directories-never-see-the-log',
      'A directory reads a read model, never the log.',
      { path: '^src/features/.*-directory/', pathNot: spec },
      { path: LOG },
    ),
    forbid(
      'features-are-apart',
      'Features share what a budget is, what accounts publish and how strings are reserved, nothing else. Some have fences of their own.',
      {
        path: FEATURE,
        pathNot: [spec, '\\.module\\.ts$', AUDIT_TRAIL, BUDGETS, VERIFICATION, USAGE],
      },
      {
        path: FEATURE,
        pathNot: [
          '^src/features/$1/',
          BUDGET,
          '^src/features/accounts/published/',
          '^src/features/keys/published/reserved-strings\\.ts$',
        ],
      },
    ),
    forbid(
      'budgets-are-of-accounts-and-end-users',
      'Budgets are decided by accounts and end users, are named in their paths, and count and are shown as limits of keys are.',
      { path: BUDGETS, pathNot: [spec, `${BUDGETS}domain/`] },
      {
        path: FEATURE,
        pathNot: [
          BUDGETS,
          '^src/features/(accounts|end-users|keys)/(domain|published)/',
          '^src/features/accounts/workspace\\.fields\\.ts$',
          '^src/features/end-users/end-user\\.fields\\.ts$',
          '^src/features/keys/key\\.fields\\.ts$',
        ],
      },
    ),
    forbid(
      'verification-knows-keys-and-accounts',
      'Verification sees what accounts, keys and end users decide, what is published, what a budget is, the fields of a key, and who has a management key.',
      { path: VERIFICATION, pathNot: [spec, `${VERIFICATION}domain/`] },
      {
        path: FEATURE,
        pathNot: [
          VERIFICATION,
          BUDGET,
          '^src/features/(accounts|keys)/(domain|published)/',
          '^src/features/end-users/domain/end-user(\\.events)?\\.ts$',
          '^src/features/keys/key\\.fields\\.ts$',
          '^src/features/accounts/account-directory/',
        ],
      },
    ),
    forbid(
      'usage-asks-which-keys-exist',
      'Usage sees what accounts and keys publish, how limits count usage, and how end users are named. Its domain has a fence of its own.',
      { path: USAGE, pathNot: [spec, '\\.module\\.ts$', `${USAGE}domain/`] },
      {
        path: FEATURE,
        pathNot: [
          USAGE,
          '^src/features/(accounts|keys)/published/',
          '^src/features/keys/domain/(key|limit)\\.ts$',
          END_USER,
        ],
      },
    ),
    forbid(
      'audit-trail-only-reads',
      'The audit trail sees the events of other features, nothing else of them, and never the log.',
      { path: AUDIT_TRAIL, pathNot: spec },
      { path: [FEATURE, LOG], pathNot: [AUDIT_TRAIL, EVENTS] },
    ),
    forbid(
      'metrics-are-named-once',
      'Only monitoring knows what measures; other rooms tell an observer.',
      { path: '^src/', pathNot: ['^src/host/monitoring/', spec] },
      { path: 'node_modules/prom-client/' },
    ),
    forbid(
      'no-test-code',
      'The service does not know its tests.',
      { path: '^src/', pathNot: spec },
      { path: '^(test|bench)/' },
    ),
    forbid(
      'only-what-is-declared',
      'What is imported is declared in package.json.',
      { path: '^src/', pathNot: [spec, CONSOLE] },
      { dependencyTypes: ['npm-dev', ...UNDECLARED] },
    ),
    forbid(
      'console-is-built-from-what-is-declared',
      'The browser gets what the build bundles, so the packages of the console are dev dependencies.',
      { path: CONSOLE, pathNot: spec },
      { dependencyTypes: UNDECLARED },
    ),
    forbid(
      'console-is-apart',
      'The console knows the API, and nothing of the service behind it.',
      { path: CONSOLE },
      { path: '^src/', pathNot: CONSOLE },
    ),
    forbid(
      'nobody-imports-the-console',
      'The console is code for browsers.',
      { path: '^src/', pathNot: CONSOLE },
      { path: CONSOLE },
    ),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
    },
  },
};
