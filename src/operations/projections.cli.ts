import { Option } from 'commander';
import { forPeople } from '../command-line/for-people.js';
import type { Program } from '../command-line/program.js';
import { progressBar } from '../command-line/progress-bar.js';
import type { Comparison } from '../projections/compare.js';
import type { FoldOptions } from '../projections/fold-afresh.js';
import { Maintenance } from '../projections/maintenance.js';
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

type Verified = Comparison & { readonly name: string };

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
      for (const { name, problem } of data) {
        if (problem !== undefined && !json) tell(`${name} is stuck: ${problem}`);
      }
      return { data };
    },
    { people: ({ data }) => forPeople({ data: data.map(({ problem: _, ...row }) => row) }) },
  );
  program.command<Chosen>(
    projections,
    'rebuild',
    'Fold the log anew beside what serves, then go over to it. The service need not stop.',
    [all],
    async (session, options, given) => {
      const maintenance = session.get(Maintenance);
      const data: object[] = [];
      for (const name of chosen(maintenance, options, given)) {
        const { events, seconds, differences } = await folding(
          maintenance,
          `rebuilding ${name}`,
          options,
          (fold) => maintenance.rebuild(name, fold),
        );
        if (!options.json) tell(`${name}: ${inWords(differences)}`);
        data.push({ name, events, seconds, events_per_second: Math.round(events / seconds) });
      }
      return { data };
    },
    { names: NAMES },
  );
  program.command<Chosen, Data<Verified>>(
    projections,
    'verify',
    'Fold the log anew and name every document that is not as it should be. Changes nothing.',
    [all],
    async (session, options, given) => {
      const maintenance = session.get(Maintenance);
      const data: Verified[] = [];
      for (const name of chosen(maintenance, options, given)) {
        const found = await folding(maintenance, `verifying ${name}`, options, (fold) =>
          maintenance.verify(name, fold),
        );
        data.push({ name, ...found });
      }
      return { data };
    },
    { names: NAMES, people: verifiedForPeople, failed: ({ data }) => data.some(differs) },
  );
}

/** Folds with a progress bar, and gives up cleanly at a signal. */
async function folding<Result>(
  maintenance: Maintenance,
  title: string,
  { json }: Form,
  fold: (options: FoldOptions) => Promise<Result>,
): Promise<Result> {
  const abort = new AbortController();
  const onSignal = (): void => {
    abort.abort(new Error('interrupted; what served before serves on'));
  };
  process.once('SIGINT', onSignal).once('SIGTERM', onSignal);
  const bar = json ? undefined : progressBar(title);
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
  } finally {
    bar?.end();
    process.off('SIGINT', onSignal).off('SIGTERM', onSignal);
  }
}

function inWords(differences: number | null): string {
  if (differences === null) return 'what served was not of this log';
  return `${differences} ${differences === 1 ? 'document differs' : 'documents differ'} from those that served`;
}

function differs({ differences }: Verified): boolean {
  return differences.length > 0;
}

function verifiedForPeople({ data }: Data<Verified>): string {
  const counts = data.map((one) => ({ ...one, differences: one.differences.length }));
  const named = data.flatMap(({ name, differences }) =>
    differences.map((difference) => ({ projection: name, ...difference })),
  );
  return forPeople({ data: counts }) + (named.length > 0 ? `\n${forPeople({ data: named })}` : '');
}

function tell(line: string): void {
  process.stderr.write(`${line}\n`);
}
