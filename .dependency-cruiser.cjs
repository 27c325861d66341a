const spec = '\\.spec\\.ts$';

/** @param {string} name @param {string} comment @param {object} from @param {object} to */
const forbid = (name, comment, from, to) => ({ name, comment, severity: 'error', from, to });

/** Everything but the paths given. @param {...string} paths */
const except = (...paths) => ({ pathNot: paths });

const PURE_PACKAGES = '^node_modules/(zod|immutable|big\\.js|@types/big\\.js)/';
const FEATURE = '^src/(accounts|keys|end-users|audit-trail)/';
const AUDIT_TRAIL = '^src/audit-trail/';
const OPENS =
  '^src/(event-log|read-store)/(embedded-event-log|copy-embedded-log|open-event-log|open-read-store)\\.ts$';
const EVENTS = '^src/[^/]+/domain/[^/]+\\.events\\.ts$';

/** The import fences: who may import whom, and why. */
module.exports = {
  forbidden: [
    forbid('no-cycles', 'A cycle has no first file to read.', {}, { circular: true }),
    forbid(
      'kernel',
      'The kernel imports nothing.',
      { path: '^src/kernel/', pathNot: spec },
      except('^src/kernel/'),
    ),
    forbid(
      'key-strings',
      'Key strings need the operating system and nothing else.',
      { path: '^src/key-strings/', pathNot: spec },
      except('^src/key-strings/', '^(node:)?(crypto|zlib)$'),
    ),
    forbid(
      'domain',
      'A domain sees the kernel, itself, pure packages and hashes.',
      { path: '^src/([^/]+)/domain/', pathNot: [spec, AUDIT_TRAIL] },
      except('^src/$1/domain/', '^src/kernel/', PURE_PACKAGES, '^(node:)?crypto$'),
    ),
    forbid(
      'audit-trail-domain',
      'The descriptions of events see the events and the kernel.',
      { path: `${AUDIT_TRAIL}domain/`, pathNot: spec },
      except(`${AUDIT_TRAIL}domain/`, '^src/kernel/', EVENTS),
    ),
    forbid(
      'projection-folds',
      'A fold sees its events, what a projection is and how to count by rank.',
      { path: '^src/([^/]+)/.*\\.projection\\.ts$' },
      except('^src/$1/domain/', '^src/kernel/', '^src/projections/(projection|rank-counts)\\.ts$'),
    ),
    forbid(
      'event-log-port',
      'The port and the runner name no backend.',
      {
        path: '^src/event-log/[^/]+\\.ts$',
        pathNot: ['event-log\\.module\\.ts$', OPENS, spec],
      },
      except(
        '^src/event-log/[^/]+\\.ts$',
        '^src/kernel/',
        '^(node:)?(crypto|timers/promises)$',
        '^node_modules/(lru-cache|uuid)/',
      ),
    ),
    forbid(
      'read-store-port',
      'The port names no backend.',
      {
        path: '^src/read-store/[^/]+\\.ts$',
        pathNot: ['read-store\\.module\\.ts$', OPENS, spec],
      },
      except('^src/read-store/[^/]+\\.ts$', '^src/kernel/'),
    ),
    forbid(
      'adapters',
      'An adapter sees its ports, the kernel, its driver and where it keeps its files, and no other adapter.',
      { path: '^src/(event-log|read-store)/([^/]+)/', pathNot: spec },
      except(
        '^src/$1/$2/',
        '^src/$1/(event-log|write-ahead-log|read-store|index-value)\\.ts$',
        '^src/kernel/',
        '^src/sqlite/',
        '^(node:)?(crypto|events|fs|path|timers|timers/promises|worker_threads)$',
        '^node_modules/(better-sqlite3|@types/better-sqlite3|@eventstore/db-client|mongodb)/',
      ),
    ),
    forbid(
      'sqlite-is-opened-once',
      'Whatever opens a database of its own may lose it to the garbage collector.',
      { path: '^src/', pathNot: ['^src/sqlite/', spec] },
      { path: 'node_modules/better-sqlite3/', dependencyTypesNot: ['type-only'] },
    ),
    forbid(
      'backends-are-named-once',
      'Only what opens a log or a read store names a backend, the module of the log, and the counts that replicas share.',
      {
        pathNot: [
          '^src/(event-log|read-store|rate-limits)/[^/]+/',
          '^src/(event-log|read-store)/[^/]+\\.module\\.ts$',
          OPENS,
          '^test/',
          '^bench/',
          spec,
        ],
      },
      { path: '^src/(event-log|read-store)/[^/]+/' },
    ),
    forbid(
      'projections',
      'The engine sees the kernel and both ports.',
      { path: '^src/projections/', pathNot: ['projections\\.module\\.ts$', spec] },
      except(
        '^src/projections/',
        '^src/kernel/',
        '^src/event-log/event-(log|registry)\\.ts$',
        '^src/read-store/read-store\\.ts$',
        '^(node:)?(crypto|timers/promises|util(/types)?|worker_threads)$',
      ),
    ),
    forbid(
      'http',
      'The edge knows the kernel and key strings, and no feature.',
      { path: '^src/http/', pathNot: spec },
      { path: '^src/', pathNot: ['^src/http/', '^src/kernel/', '^src/key-strings/'] },
    ),
    forbid(
      'rate-limits',
      'The rate limits know the edge and the kernel, and no feature.',
      { path: '^src/rate-limits/', pathNot: spec },
      { path: '^src/', pathNot: '^src/(rate-limits|http|kernel)/' },
    ),
    forbid(
      'commands-never-read',
      'A command decides on the log, never on a read model.',
      { path: '^src/.*\\.command\\.ts$' },
      { path: ['^src/read-store/', '-directory/'] },
    ),
    forbid(
      'queries-never-see-the-log',
      'A query reads a read model, never the log.',
      { path: '^src/.*\\.query\\.ts$' },
      { path: '^src/event-log/' },
    ),
    forbid(
      'lookups-are-on-the-hot-path',
      'A look-up may ask a read model and the log, so only look-ups, authentication and its own feature use it.',
      {
        path: '^src/([^/]+)/',
        pathNot: ['^src/authentication/', '\\.(module|lookup)\\.ts$', spec],
      },
      { path: '\\.lookup\\.ts$', pathNot: '^src/$1/' },
    ),
    forbid(
      'features-are-apart',
      'Features share events and what accounts publish, nothing else.',
      { path: FEATURE, pathNot: [spec, '^src/[^/]+/[^/]+\\.module\\.ts$', AUDIT_TRAIL] },
      { path: FEATURE, pathNot: ['^src/$1/', '^src/accounts/published/'] },
    ),
    forbid(
      'audit-trail-only-reads',
      'The audit trail sees the events of other features, nothing else of them, and never the log.',
      { path: AUDIT_TRAIL, pathNot: spec },
      { path: [FEATURE, '^src/event-log/'], pathNot: [AUDIT_TRAIL, EVENTS] },
    ),
    forbid(
      'metrics-are-named-once',
      'Only operations knows what measures; other rooms tell an observer.',
      { path: '^src/', pathNot: ['^src/operations/', spec] },
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
      { path: '^src/', pathNot: spec },
      { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown', 'unknown', 'undetermined'] },
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
