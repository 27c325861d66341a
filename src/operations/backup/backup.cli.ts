import { InvalidArgumentError, Option } from 'commander';
import { forPeople } from '../../command-line/for-people.js';
import type { Program } from '../../command-line/program.js';
import { progressBar } from '../../command-line/progress-bar.js';
import { messageOf } from '../../kernel/errors.js';
import type { LockedDirectory } from '../../process/data-directory-lock.js';
import type { Maintenance } from '../../projections/maintenance.js';
import { type Settings, isEmbedded } from '../../settings/settings.js';
import { type Done, each, folding, type Form, tell } from '../folding.js';
import type { BackedUp } from './backup.js';
import type { VerifyProgress } from './described-copy.js';
import type { Restored } from './restore.js';

const ON_A_SERVER =
  'the event log is on EventStoreDB, and read models need no backup: use the backup of the server, as docs/operations.md (Backups) says';

interface Kept extends Form {
  readonly keep?: number;
}

type Refolded = Done<{ readonly name: string; readonly events: number; readonly seconds: number }>;

/** The restored log, and the projections that were folded anew. `failed` names the projections that failed to fold. */
interface RestoredAndFolded extends Restored, Record<string, unknown> {
  readonly folded: Refolded['data'];
  readonly failed: Refolded['failed'];
}

/** A function that reads the settings, and makes sure that a command may work with the data directory. */
export type Prepare = (needsLog: boolean) => Promise<Settings>;

/** A function that opens the maintenance of read models, and passes the maintenance to an action. */
export type WithMaintenance = <Result>(
  settings: Settings,
  action: (maintenance: Maintenance) => Promise<Result>,
) => Promise<Result>;

/** Adds `keyledger backup` and `keyledger restore`. Each command imports its modules only when the command runs. */
export function addBackupCommands(
  program: Program,
  prepare: Prepare,
  withMaintenance: WithMaintenance,
): void {
  program.alone<Kept, BackedUp>(
    program.root,
    'backup',
    'Copy the embedded event log into a new file, and verify that. The service need not stop.',
    [
      new Option(
        '--keep <count>',
        'how many backups of this log to keep; older ones are removed',
      ).argParser(kept),
    ],
    async ({ keep, json }, [into = '']) => {
      const { dataDir } = onlyEmbedded(await prepare(true));
      const { backUp } = await import('./backup.js');
      return verifying('the backup', json, (onProgress) => backUp(dataDir, into, keep, onProgress));
    },
    { argument: ['<directory>', 'directory of the backups; created if it does not exist'] },
  );
  program.alone<Form, RestoredAndFolded>(
    program.root,
    'restore',
    'Put a backup in the place of a log that is gone, and fold the read models anew.',
    [],
    async ({ json }, [from = '']) => {
      const settings = onlyEmbedded(await prepare(false));
      const { backupIn, requireNoLog, restoreLog } = await import('./restore.js');
      const file = backupIn(from);
      requireNoLog(settings.dataDir);
      return whileLocked(settings.dataDir, async () => {
        const restored = await verifying('the backup', json, (onProgress) =>
          restoreLog(file, settings, onProgress),
        );
        if (!json) tell(`the log is restored: ${lossInWords(restored)}`);
        const { data, failed } = await refolded(settings, json, withMaintenance);
        return { ...restored, folded: data, failed };
      });
    },
    {
      argument: ['<backup>', 'a file, or a directory of which the newest backup is taken'],
      people: ({ folded, ...restored }) =>
        forPeople(restored) + (folded.length > 0 ? forPeople({ data: folded }) : ''),
      failed: ({ failed }) => failed.length > 0,
    },
  );
}

function kept(value: string): number {
  if (/^[1-9]\d{0,3}$/.test(value)) return Number(value);
  throw new InvalidArgumentError('takes a whole number from 1 to 9999.');
}

function onlyEmbedded(settings: Settings): Settings {
  if (isEmbedded(settings)) return settings;
  throw new Error(ON_A_SERVER);
}

async function verifying<Result>(
  what: string,
  json: true | undefined,
  work: (onProgress: VerifyProgress) => Promise<Result>,
): Promise<Result> {
  const bar = json ? undefined : progressBar(`verifying ${what}`);
  try {
    return await work((share, events) => bar?.update(share, events));
  } finally {
    bar?.end();
  }
}

/** Locks a data directory, so that no service can start on it, and calls `work`. @throws when a service runs there. */
async function whileLocked<Result>(dataDir: string, work: () => Promise<Result>): Promise<Result> {
  const { lockDataDirectory } = await import('../../process/data-directory-lock.js');
  const lock: LockedDirectory = lockDataDirectory(dataDir);
  try {
    return await work();
  } finally {
    lock.release();
  }
}

/** Folds all read models anew. The log is restored already, so an error stops only the folding. */
async function refolded(
  settings: Settings,
  json: true | undefined,
  withMaintenance: WithMaintenance,
): Promise<Refolded> {
  try {
    return await withMaintenance(settings, (maintenance) =>
      each(maintenance.names, async (name) => {
        const doing = { doing: 'folding', name };
        const { events, seconds } = await folding(
          maintenance,
          doing,
          json ? { json } : {},
          (fold) => maintenance.rebuild(name, fold),
        );
        return { name, events, seconds };
      }),
    );
  } catch (cause) {
    const problem = 'the log is restored, but its read models are not folded';
    throw new Error(`${problem}: ${messageOf(cause)}; run projections rebuild --all`, { cause });
  }
}

function lossInWords({ lost_events: lost, head_occurred_at: head }: Restored): string {
  if (lost === null)
    return `the read models do not show whether later events than its last one, of ${head}, are lost`;
  if (lost === 0)
    return `it has all events that the read models had seen; its last one is of ${head}`;
  return `at least ${lost} events after its last one, of ${head}, are lost`;
}
