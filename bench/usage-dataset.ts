import { v7 as uuidv7 } from 'uuid';
import type { EventLog } from '../src/event-sourcing/event-log/event-log.js';
import { MANAGEMENT, USAGE } from '../src/event-sourcing/ledger.js';
import type { EventRegistry } from '../src/event-sourcing/event-log/event-registry.js';
import { AccountFacts } from '../src/features/accounts/published/account-facts.js';
import { FirstStart } from '../src/features/accounts/first-start/first-start.js';
import { reportEventData } from '../src/features/usage/domain/report-event.js';
import { usageReport, usageReportId } from '../src/features/usage/domain/accepted-once.js';
import { contentHash } from '../src/features/usage/domain/usage-record.js';
import { readRecords } from '../src/features/usage/usage-report-body.js';
import { createApp } from '../src/host/assembly/application.js';
import { openLogger } from '../src/host/process/logger.js';
import { readSettings } from '../src/host/settings/settings.js';
import { hashKeyString } from '../src/kernel/key-string.js';
import { atOnce } from '../test/support/specs/at-once.js';
import { organizationOf, origins } from './dataset.js';
import { keyStringOf } from './verification-dataset.js';

export const RECORDS = 500;
const USERS_OF_REPORT = 20;
const AT_ONCE = 100;

/** The keys and end users that usage reports name. */
export interface Shape {
  /** The number of keys that one report names. */
  readonly keysOfReport: number;
  /** The number of keys that all reports name: the first ones of `buildUsableKeys`. */
  readonly keys: number;
  /** The number of end users whom all reports name in turn. Default: each names the same 20. */
  readonly users?: number;
}

/**
 * Makes a function that gives the body of the report with a number. The reports go round all keys
 * in turn.
 */
export function reportBodies({ keysOfReport, keys, users }: Shape): (index: number) => object {
  const hashes = Array.from({ length: keys }, (_, index) => hashKeyString(keyStringOf(index)));
  return (index) => {
    const first = index * keysOfReport;
    const userOf = (record: number): number =>
      users === undefined
        ? Math.floor(Math.random() * USERS_OF_REPORT)
        : (index * RECORDS + record) % users;
    const records = Array.from({ length: RECORDS }, (_, record) => ({
      key_hash: hashes[(first + (record % keysOfReport)) % keys],
      // Too little to exceed a limit, and a number that floating-point arithmetic makes.
      cost: (record + 1) * 0.0000011,
      user: `user-${userOf(record)}`,
    }));
    return { records };
  };
}

/**
 * Fills the log of usage of a data directory as HTTP would, with reports of keys in one workspace.
 */
export async function writeReports(
  dataDir: string,
  managementKey: string,
  shape: Shape,
  reports: number,
): Promise<void> {
  const settings = readSettings({ DATA_DIR: dataDir, BOOTSTRAP_MANAGEMENT_KEY: managementKey });
  const app = await createApp(settings, openLogger('warn').logger);
  await app.get(FirstStart).run(managementKey);
  const account_id = await organizationOf(app.get<EventLog>(MANAGEMENT.log));
  const account = await app.get(AccountFacts).account(account_id);
  const log = app.get<EventLog>(USAGE.log);
  const registry = app.get<EventRegistry>(USAGE.registry);
  const bodyOf = reportBodies(shape);
  const originOf = origins(account_id);
  const at = new Date().toISOString();
  const append = (index: number): Promise<unknown> => {
    const report_id = uuidv7();
    const records = atOnce(readRecords(bodyOf(index)));
    const workspace_id = account?.default_workspace_id ?? '';
    const keys = new Map(
      records.map(
        ({ key_hash: hash }) => [hash, { hash, workspace_id, external_user: null }] as const,
      ),
    );
    const content_hash = atOnce(contentHash(records));
    const report = { account_id, report_id, content_hash, records, keys };
    const data = atOnce(reportEventData(report, at));
    const encoded = registry.encode({ type: 'UsageReported', data });
    const event = { id: uuidv7(), ...encoded, metadata: originOf(index) };
    const stream = usageReport.streamOf(usageReportId(account_id, report_id));
    return log.append(stream, [event], 'no-stream');
  };
  for (let first = 0; first < reports; first += AT_ONCE) {
    const length = Math.min(AT_ONCE, reports - first);
    await Promise.all(Array.from({ length }, (_, index) => append(first + index)));
  }
  await app.close();
}
