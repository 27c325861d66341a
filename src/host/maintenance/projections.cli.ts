import { readableResult, printable } from '../../edge/command-line/readable-result.js';
import type { OperatorSession } from '../../edge/command-line/operator-session.js';
import type { Program } from '../../edge/command-line/program.js';
import type { Maintenance } from '../../event-sourcing/projections/maintenance/maintenance.js';
import type { ReadSideStatus } from '../../event-sourcing/projections/maintenance/status.js';
import { type Ledger, OPEN_LEDGERS } from '../../event-sourcing/ledger.js';
import type { Comparison } from '../../event-sourcing/projections/maintenance/verify.js';
import { foldWithProgress, type JsonOption } from './fold-progress.js';

type NamedComparison = Comparison & { readonly name: string };

const NAME_ARGUMENT = [
  '[name]',
  'read models to work on: management or usage; default: both',
] as const;

export function addProjectionCommands(program: Program): void {
  const projections = program.group(
    'projections',
    'Show, rebuild and verify the read models, which are built from the event logs.',
  );
  program.command(projections, {
    name: 'status',
    description:
      'Show up to which event the read models are updated, and which events stop the updates.',
    async action(session, { json }: JsonOption) {
      const data: ReadSideStatus[] = [];
      for (const maintenance of findReadSides(session)) data.push(await maintenance.status());
      if (!json) data.forEach(reportProblems);
      return { data };
    },
    readable: ({ data }) =>
      readableResult({ data: data.map(({ problem: _, parked: __, ...row }) => row) }),
  });
  program.command(projections, {
    name: 'rebuild',
    description:
      'Build the read models again from the event log, and then use the new ones. The service can keep running.',
    argument: NAME_ARGUMENT,
    async action(session, options: JsonOption, only) {
      const data: object[] = [];
      for (const maintenance of findReadSides(session, only)) {
        const { name } = maintenance;
        const { events, seconds } = await foldWithProgress(
          maintenance,
          'rebuilding',
          options,
          (fold) => maintenance.rebuild(fold),
        );
        data.push({ name, events, seconds, events_per_second: Math.round(events / seconds) });
      }
      return { data };
    },
  });
  program.command(projections, {
    name: 'verify',
    description:
      'Build the read models again for comparison, and list every document that differs. This does not change the read models.',
    argument: NAME_ARGUMENT,
    async action(session, options: JsonOption, only) {
      const data: NamedComparison[] = [];
      for (const maintenance of findReadSides(session, only)) {
        const found = await foldWithProgress(maintenance, 'verifying', options, (fold) =>
          maintenance.verify(fold),
        );
        data.push({ name: maintenance.name, ...found });
      }
      return { data };
    },
    readable: ({ data }) => readableComparison(data),
    failed: ({ data }) => data.some(differs),
  });
}

/** Returns the read side of that name, or all. @throws Error when there is none. */
function findReadSides(session: OperatorSession, name?: string): Maintenance[] {
  const all = session.get<readonly Ledger[]>(OPEN_LEDGERS).map(({ maintenance }) => maintenance);
  const found = all.filter((one) => name === undefined || one.name === name);
  if (found.length === 0) throw new Error(`there are no read models of ${name}`);
  return found;
}

function differs({ differences }: NamedComparison): boolean {
  return differences.length > 0;
}

function readableComparison(data: readonly NamedComparison[]): string {
  const counts = data.map((one) => ({ ...one, differences: one.differences.length }));
  const all = data.flatMap(({ differences }) => differences.map((one) => ({ ...one })));
  return (
    readableResult({ data: counts }) + (all.length > 0 ? `\n${readableResult({ data: all })}` : '')
  );
}

function reportProblems({ name, state, problem, parked }: ReadSideStatus): void {
  const own = problem === undefined ? [] : [`read models of ${name} are ${state}: ${problem}`];
  const ofAccounts = parked.map(
    ({ projection, account_id, problem: cause }) =>
      `${projection} is stopped for account ${account_id}: ${cause}`,
  );
  for (const line of [...own, ...ofAccounts]) process.stderr.write(`${printable(line)}\n`);
}
