import { parseArgs } from 'node:util';

export const ROW_NAMES = [
  'register',
  'list',
  'deep-page',
  'replay',
  'memory',
  'start',
  'inactive',
  'keys',
  'verification',
  'slow-disk',
  'audit',
  'servers',
  'usage',
  'usage-memory',
  'builds',
] as const;
export type RowName = (typeof ROW_NAMES)[number];

/** Rows that must be asked for: they take long, or need another build. */
const ASKED_FOR: readonly RowName[] = ['usage-memory', 'builds'];
const DEFAULT_ROWS = ROW_NAMES.filter((name) => !ASKED_FOR.includes(name)).join(',');

export interface Options {
  readonly rows: readonly RowName[];
  readonly endUsers: number;
  /** The number of keys in the row that lists keys. */
  readonly keys: number;
  /** The number of those keys that the rows of verifications ask for. */
  readonly keysInUse: number;
  /** The number of events in the log of the audit rows. */
  readonly auditEvents: number;
  /** The number of events in the log on the EventStoreDB server. */
  readonly serverEvents: number;
  /** The number of reports that are folded, and over which memory is measured. */
  readonly usageReports: number;
  readonly rounds: number;
  /** The seconds of load on each target in each round. */
  readonly seconds: number;
  readonly connections: number;
  /** Whether services have a core of their own, beside the load. */
  readonly pin: boolean;
  /** The checkout of another build, for the row `builds`. */
  readonly beside?: string;
}

export const USAGE = `npm run bench -- [options]
  --rows NAMES         some of ${ROW_NAMES.join(',')}; all but ${ASKED_FOR.join(',')} when absent
  --end-users N        registered before the measurements (1000100)
  --keys N             created before they are listed or asked for (1000000)
  --keys-in-use N      of them, asked for by gateways (100000)
  --audit-events N     in the log whose audit trail is read (1000000)
  --server-events N    in the log on the EventStoreDB server (50000)
  --usage-reports N    over which memory is measured; folded, up to 2000 (20000)
  --rounds N           of which the median counts (5)
  --seconds N          of load on each side in each round (5)
  --connections N      held open by the load generator (64)
  --pin                services on one core, the load on another one
  --beside DIRECTORY   a built checkout, against which the row builds, and no other, measures this build`;

/** Parses the options of the command line. @throws Error for an unknown option or a wrong value. */
export function readOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      rows: { type: 'string' },
      'end-users': { type: 'string', default: '1000100' },
      keys: { type: 'string', default: '1000000' },
      'keys-in-use': { type: 'string', default: '100000' },
      'audit-events': { type: 'string', default: '1000000' },
      'server-events': { type: 'string', default: '50000' },
      'usage-reports': { type: 'string', default: '20000' },
      rounds: { type: 'string', default: '5' },
      seconds: { type: 'string', default: '5' },
      connections: { type: 'string', default: '64' },
      pin: { type: 'boolean', default: false },
      beside: { type: 'string' },
    },
  });
  const { pin, beside } = values;
  const rows = values.rows ?? (beside === undefined ? DEFAULT_ROWS : 'builds');
  return {
    rows: rows.split(',').map(rowName),
    pin,
    ...(beside !== undefined && { beside }),
    endUsers: count('end-users', values['end-users']),
    keys: count('keys', values.keys),
    keysInUse: count('keys-in-use', values['keys-in-use']),
    auditEvents: count('audit-events', values['audit-events']),
    serverEvents: count('server-events', values['server-events']),
    usageReports: count('usage-reports', values['usage-reports']),
    rounds: count('rounds', values.rounds),
    seconds: count('seconds', values.seconds),
    connections: count('connections', values.connections),
  };
}

function rowName(text: string): RowName {
  const name = ROW_NAMES.find((known) => known === text);
  if (!name) throw new Error(`there is no row ${text}`);
  return name;
}

function count(option: string, text: string): number {
  if (!/^[1-9]\d*$/.test(text)) throw new Error(`--${option} takes a whole number from 1`);
  return Number(text);
}
