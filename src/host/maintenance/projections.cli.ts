import { readableResult, printable } from '../../edge/command-line/readable-result.js';
import type { OperatorSession } from '../../edge/command-line/operator-session.js';
import type { Program } from '../../edge/command-line/program.js';
import type { Maintenance } from '../../event-sourcing/projections/maintenance/maintenance.js';
import type { ReadSideStatus } from '../../event-sourcing/projections/maintenance/status.js';
import { type Ledger, OPEN_LEDGERS } from '../../event-sourcing/ledger.js';
import type { Comparison } from '../../event-sourcing/projections/maintenance/verify.js';
import { foldWithProgress, type JsonOption } from './fold-progress.js';

type NamedComparison = Comparison & { readonly name: string };

const NAME_ARGUMENT = ['[name]', 'name of a read side; default: every read side'] as const;

export function addProjectionCommands(program: Program): void {
  const projections = program.group('projections', 'The read models, folded from the event log.');
  program.command(projections, {
    name: 'status',
    description: 'The position of each read side, and the event that stops it.',
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
      'Fold the log into a new generation, then serve from it. The service need not stop.',
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
    description: 'Fold the log again, and name every document that differs. Changes nothing.',
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
  if (found.length === 0) throw new Error(`there is no read side ${name}`);
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

/** Writes the problems of a read side to standard error. */
function reportProblems({ name, state, problem, parked }: ReadSideStatus): void {
  const own = problem === undefined ? [] : [`${name} is ${state}: ${problem}`];
  const ofAccounts = parked.map(
    ({ projection, account_id, problem: cause }) =>
      `${projection} passes over account ${account_id}: ${cause}`,
  );
  for (const line of [...own, ...ofAccounts]) process.stderr.write(`${printable(line)}\n`);
}
