import { messageOf } from '../../kernel/errors.js';
import { forPeople } from '../../edge/command-line/for-people.js';
import type { Program } from '../../edge/command-line/program.js';
import {
  Maintenance,
  type Rebuilt,
  type Verified,
} from '../../event-sourcing/projections/maintenance.js';
import type { ProjectionStatus } from '../../event-sourcing/projections/status.js';
import { folding, type Form, tell } from './folding.js';

interface Data<Row> extends Record<string, unknown> {
  readonly data: readonly Row[];
}

type Named<Row> = Row & { readonly name: string };

const NAME = ['[name]', 'name of a projection; default: every projection'] as const;

/** Adds the commands `keyledger projections …`. */
export function addProjectionCommands(program: Program): void {
  const projections = program.group('projections', 'The read models, folded from the event log.');
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
    },
  );
  program.command<Form, Data<object>>(
    projections,
    'rebuild',
    'Fold the log into a new generation, then serve from it. The service need not stop.',
    [],
    async (session, options, only) => {
      const maintenance = session.get(Maintenance);
      return each(chosen(maintenance, only), async (name) => {
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
    { argument: NAME },
  );
  program.command<Form, Data<Named<Verified>>>(
    projections,
    'verify',
    'Fold the log again, and name every document that differs. Changes nothing.',
    [],
    async (session, options, only) => {
      const maintenance = session.get(Maintenance);
      return each(chosen(maintenance, only), async (name) => {
        const found = await folding(maintenance, { doing: 'verifying', name }, options, (fold) =>
          maintenance.verify(name, fold),
        );
        if (found.lag > 0 && !options.json)
          tell(`${name} is behind the log, and correct up to its position`);
        return { name, ...found };
      });
    },
    { argument: NAME, people: verifiedForPeople, failed: ({ data }) => data.some(isWrong) },
  );
}

/** Returns the names of the projections to work on. @throws Error when there is no projection of that name. */
function chosen({ names }: Maintenance, only: string | undefined): readonly string[] {
  if (only === undefined) return names;
  if (!names.includes(only)) throw new Error(`there is no projection ${only}`);
  return [only];
}

async function each<Row>(
  names: readonly string[],
  work: (name: string) => Promise<Row>,
): Promise<Data<Row>> {
  const data: Row[] = [];
  for (const name of names) data.push(await work(name));
  return { data };
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

function verifiedForPeople({ data }: Data<Named<Verified>>): string {
  const counts = data.map((one) => ({ ...one, differences: one.differences.length }));
  const named = data.flatMap(({ name, differences }) =>
    differences.map((difference) => ({ projection: name, ...difference })),
  );
  return forPeople({ data: counts }) + (named.length > 0 ? `\n${forPeople({ data: named })}` : '');
}

function tellProblems({ name, state, problem, parked = [] }: ProjectionStatus): void {
  if (problem !== undefined) tell(`${name} is ${state}: ${problem}`);
  for (const { account_id, problem: cause } of parked) {
    tell(`${name} skips account ${account_id}: ${cause}`);
  }
}
