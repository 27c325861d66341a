import { askLogServer, askLogServerClock, openEventLog } from '../../event-log/open-event-log.js';
import { inTime } from '../../kernel/in-time.js';
import { askReadStoreServer } from '../../read-store/open-read-store.js';
import type { Settings } from '../../settings/settings.js';
import { type Finding, type Findings, findingsOf, looked } from './finding.js';

const WITHIN_MS = 10_000;
/** The largest clock difference without a warning. EventStoreDB tells its time only to a second. */
const MOST_SKEW_MS = 2_000;
const MONGODB_VERSIONS = /^[678]\./;

/** Looks at EventStoreDB if it holds the log: whether it answers, its version and clock, and if we may read the log. */
export async function lookAtLogServer(settings: Settings): Promise<readonly Finding[]> {
  const { eventStoreDbConnectionString: server } = settings;
  if (server === undefined) return [];
  const findings = findingsOf('EventStoreDB');
  const { ok, warn } = findings;
  const todo =
    'check that it runs, and that EVENTSTOREDB_CONNECTION_STRING names it (docs/operations.md)';
  const looks = await Promise.all([
    looked(findings, todo, async () => {
      const { version = null, isTried = false } = (await askLogServer(settings)) ?? {};
      if (isTried) return [ok(`it answers, and has version ${version}`)];
      const which = version === null ? 'does not report its version' : `has version ${version}`;
      const found = `it answers, and ${which}, which was never tested`;
      return [warn(found, 'docs/backends.md lists the versions that were tested')];
    }),
    looked(findings, todo, async () =>
      clockOf(findings, await askLogServerClock(server, WITHIN_MS)),
    ),
    looked(findings, todo, async () => {
      const log = await openEventLog(settings);
      try {
        const head = await inTime(log.head(), WITHIN_MS);
        return [ok(head === '' ? 'the log can be read, and is empty' : 'the log can be read')];
      } finally {
        await log.close();
      }
    }),
  ]);
  return looks.flat();
}

/** Looks at MongoDB if the read models are there: whether it answers, its version, and its clock. */
export async function lookAtReadStoreServer({ mongodbUri }: Settings): Promise<readonly Finding[]> {
  if (mongodbUri === undefined) return [];
  const findings = findingsOf('MongoDB');
  const { ok, warn } = findings;
  const todo = 'check that it runs, and that MONGODB_URI names it (docs/operations.md)';
  return looked(findings, todo, async () => {
    const { version, clock } = await askReadStoreServer(mongodbUri);
    const found = `it answers, and has version ${version}`;
    const isTried = MONGODB_VERSIONS.test(version);
    return [
      isTried ? ok(found) : warn(found, 'versions 6 to 8 are supported (docs/operations.md)'),
      ...clockOf(findings, clock),
    ];
  });
}

function clockOf({ ok, warn }: Findings, clock: Date | null): Finding[] {
  if (clock === null) return [ok('it does not report its time')];
  const skew = clock.getTime() - Date.now();
  const seconds = Math.round(Math.abs(skew) / 1_000);
  if (Math.abs(skew) <= MOST_SKEW_MS) return [ok('its clock agrees with the clock here')];
  const which = skew > 0 ? 'ahead of' : 'behind';
  return [warn(`its clock is ${seconds} s ${which} the clock here`, 'run NTP on both machines')];
}
