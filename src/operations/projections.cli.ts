import { Option } from 'commander';
import { messageOf } from '../kernel/errors.js';
import { forPeople } from '../command-line/for-people.js';
import type { Program } from '../command-line/program.js';
import { printable } from '../command-line/printable.js';
import { progressBar } from '../command-line/progress-bar.js';
import { Maintenance, type Rebuilt, type Verified } from '../projections/maintenance.js';
import type { FoldOptions } from '../projections/refold.js';
import type { ProjectionStatus } from '../projections/status.js';

interface Form {
  readonly json?: true;
}

interface Chosen extends Form {
  readonly all?: true;
}

interface Data<Row> extends Record<string, unknown> {
  readonly data: readonly Row[];
}

/** What was done, and the projections with which it could not be. */
interface Done<Row> extends Data<Row> {
  readonly failed: readonly string[];
}

type Named<Row> = Row & { readonly name: string };

const NAMES = 'names of projections';
const all = new Option('--all', 'every projection');

/** `keyledger projections …` */
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
    'How far each projection is, and what in the log keeps it from going on.',
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
    'Fold the log anew beside what serves, then go over to it. The service need not stop.',
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
    'Fold the log anew and name every document that is not as it should be. Changes nothing.',
    [all],
    async (session, options, given) => {
      const maintenance = session.get(Maintenance);
      return each(chosen(maintenance, options, given), async (name) => {
        const found = await folding(maintenance, { doing: 'verifying', name }, options, (fold) =>
          maintenance.verify(name, fold),
        );
        if (found.lag > 0 && !options.json)
          tell(`${name} is behind the log, and right as far as told`);
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

/** Does something with one after another; what one fails with keeps it from no other, but for an interruption. */
async function each<Row>(
  names: readonly string[],
  work: (name: string) => Promise<Row>,
): Promise<Done<Row>> {
  const data: Row[] = [];
  const failed: string[] = [];
  for (const name of names) {
    try {
      data.push(await work(name));
    } catch (error) {
      if (error instanceof Interrupted) throw error;
      failed.push(name);
      tell(`${name}: ${messageOf(error)}`);
    }
  }
  return { data, failed };
}

class Interrupted extends Error {}

/** Folds with a progress bar, and gives up cleanly at a signal. */
async function folding<Result>(
  maintenance: Maintenance,
  { doing, name }: { readonly doing: string; readonly name: string },
  { json }: Form,
  fold: (options: FoldOptions) => Promise<Result>,
): Promise<Result> {
  const abort = new AbortController();
  const onSignal = (): void => {
    abort.abort(new Interrupted(`interrupted ${doing} ${name}; what served before serves on`));
  };
  process.once('SIGINT', onSignal).once('SIGTERM', onSignal);
  const bar = json ? undefined : progressBar(`${doing} ${name}`);
  let counting = false;
  const onProgress = (reached: string, folded: number): void => {
    if (!bar || counting) return;
    counting = true;
    // A log that does not answer is met by the fold, and reported there.
    const told = maintenance.shareBefore(reached).then(
      (share) => bar.update(share, folded),
      () => undefined,
    );
    void told.finally(() => (counting = false));
  };
  try {
    return await fold({ signal: abort.signal, onProgress });
  } catch (error) {
    abort.signal.throwIfAborted();
    throw error;
  } finally {
    bar?.end();
    process.off('SIGINT', onSignal).off('SIGTERM', onSignal);
  }
}

function inWords(differences: Rebuilt['differences']): string {
  if (differences === 'nothing served') return 'nothing served before';
  if (differences === 'of another log') return 'what served was not of this log';
  if (typeof differences === 'object')
    return `what served could not be read, and was not compared: ${messageOf(differences.unreadable)}`;
  return `${differences} ${differences === 1 ? 'document differs' : 'documents differ'} from those that served`;
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

/** Nothing where all has failed, which was told. */
function rows({ data, failed }: Done<object>): string {
  return data.length === 0 && failed.length > 0 ? '' : forPeople({ data });
}

function tellProblems({ name, state, problem, parked = [] }: ProjectionStatus): void {
  if (problem !== undefined) tell(`${name} is ${state}: ${problem}`);
  for (const { account_id, problem: cause } of parked) {
    tell(`${name} passes over account ${account_id}: ${cause}`);
  }
}

function tell(line: string): void {
  process.stderr.write(`${printable(line)}\n`);
}
