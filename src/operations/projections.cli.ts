import { Option } from 'commander';
import { messageOf } from '../kernel/errors.js';
import { forPeople } from '../command-line/for-people.js';
import type { Program } from '../command-line/program.js';
import { Maintenance, type Rebuilt, type Verified } from '../projections/maintenance.js';
import type { ProjectionStatus } from '../projections/status.js';
import { type Data, type Done, each, folding, type Form, tell } from './folding.js';

interface Chosen extends Form {
  readonly all?: true;
}

type Named<Row> = Row & { readonly name: string };

const NAMES = 'names of projections';
const all = new Option('--all', 'every projection');

/** Adds the commands `keyledger projections …`. */
export function addProjectionCommands(program: Program): void {
  const projections = program.group('projections', 'The read models, folded from the event log.');
  const chosen = (maintenance: Maintenance, options: Chosen, given: readonly string[]) => {
    if (!options.all && given.length === 0) projections.error('error: name projections, or --all');
    if (options.all && given.length > 0) projections.error('error: names, or --all, not both');
    const known = maintenance.names;
    const unknown = given.find((name) => !known.includes(name));
    if (unknown !== undefined) throw new Error(`there is no projection ${unknown}`);
    return options.all ? known : [...new Set(given)];
  };
  program.command<Form, Data<ProjectionStatus>>(
    projections,
    'status',
    'The position of each projection, and the event that stops it.',
    [],
    async (session, { json }) => {
      const maintenance = session.get(Maintenance);
      const data = await Promise.all(maintenance.names.map((name) => maintenance.status(name)));
      if (!json) data.forEach(tellProblems);
      return { data };
    },
    {
      people: ({ data }) =>
        forPeople({ data: data.map(({ problem: _, parked: __, ...row }) => row) }),
      purpose: 'examines',
    },
  );
  program.command<Chosen, Done<object>>(
    projections,
    'rebuild',
    'Fold the log into a new generation, then serve from it. The service need not stop.',
    [all],
    async (session, options, given) => {
      const maintenance = session.get(Maintenance);
      return each(chosen(maintenance, options, given), async (name) => {
        const { events, seconds, differences } = await folding(
          maintenance,
          { doing: 'rebuilding', name },
          options,
          (fold) => maintenance.rebuild(name, fold),
        );
        if (!options.json) tell(`${name}: ${inWords(differences)}`);
        return { name, events, seconds, events_per_second: Math.round(events / seconds) };
      });
    },
    { names: NAMES, people: rows, failed: ({ failed }) => failed.length > 0 },
  );
  program.command<Chosen, Done<Named<Verified>>>(
    projections,
    'verify',
    'Fold the log again, and name every document that differs. Changes nothing.',
    [all],
    async (session, options, given) => {
      const maintenance = session.get(Maintenance);
      return each(chosen(maintenance, options, given), async (name) => {
        const found = await folding(maintenance, { doing: 'verifying', name }, options, (fold) =>
          maintenance.verify(name, fold),
        );
        if (found.lag > 0 && !options.json)
          tell(`${name} is behind the log, and correct up to its position`);
        return { name, ...found };
      });
    },
    {
      names: NAMES,
      people: verifiedForPeople,
      purpose: 'examines',
      failed: ({ data, failed }) => failed.length > 0 || data.some(isWrong),
    },
  );
}

function inWords(differences: Rebuilt['differences']): string {
  if (differences === 'nothing served') return 'nothing served before';
  if (differences === 'of another log') return 'the generation before was folded from another log';
  if (typeof differences === 'object')
    return `the generation before could not be read, and was not compared: ${messageOf(differences.unreadable)}`;
  return `${differences} ${differences === 1 ? 'document differs' : 'documents differ'} from the generation before`;
}

function isWrong({ differences, lag }: Verified): boolean {
  return differences.length > 0 || lag > 0;
}

function verifiedForPeople({ data, failed }: Done<Named<Verified>>): string {
  const counts = data.map((one) => ({ ...one, differences: one.differences.length }));
  const named = data.flatMap(({ name, differences }) =>
    differences.map((difference) => ({ projection: name, ...difference })),
  );
  return (
    rows({ data: counts, failed }) + (named.length > 0 ? `\n${forPeople({ data: named })}` : '')
  );
}

/** Returns the rows as a table; nothing when every projection failed, because `each` has reported the failures. */
function rows({ data, failed }: Done<object>): string {
  return data.length === 0 && failed.length > 0 ? '' : forPeople({ data });
}

function tellProblems({ name, state, problem, parked = [] }: ProjectionStatus): void {
  if (problem !== undefined) tell(`${name} is ${state}: ${problem}`);
  for (const { account_id, problem: cause } of parked) {
    tell(`${name} skips account ${account_id}: ${cause}`);
  }
}
