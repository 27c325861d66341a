import { InvalidArgumentError, Option } from 'commander';
import { printable } from '../command-line/printable.js';
import { optional, type Program, required } from '../command-line/program.js';
import { parseUtcTimestamp } from '../kernel/utc-timestamp.js';
import { AuditDirectory } from './audit-directory/audit-directory.js';
import { auditTrail } from './audit-directory/audit-trail.projection.js';
import type { EventFilter } from './audit-directory/event-filter.js';
import type { AuditEvent } from './domain/audit-event.js';
import { ACTIONS } from './domain/descriptions.js';
import { type Action, TARGET_TYPES, type TargetType } from './domain/description.js';

interface Options {
  readonly account: string;
  readonly from?: string;
  readonly to?: string;
  readonly action?: readonly Action[];
  readonly actor?: string;
  readonly targetType?: TargetType;
  readonly targetId?: string;
  readonly limit?: number;
}

/** Adds `keyledger audit` (docs/api.md 9). */
export function addAuditCommand(program: Program): void {
  program.lines<Options, AuditEvent>(
    program.root,
    'audit',
    'What was done in an account and by whom, newest first.',
    [
      required('--account <id>', 'id of the account'),
      new Option('--from <time>', 'only events at this time or later').argParser(time),
      new Option('--to <time>', 'only events before this time').argParser(time),
      new Option('--action <action...>', 'only events with one of these actions').choices(ACTIONS),
      optional('--actor <id>', 'only what this user, management key (by its hash) or operator did'),
      new Option('--target-type <type>', 'only events on such targets').choices(TARGET_TYPES),
      optional('--target-id <id>', 'only events on this target; needs --target-type'),
      new Option('--limit <count>', 'at most so many; all when absent').argParser(count),
    ],
    async (session, options) => {
      const wrong = contradictionIn(options);
      if (wrong !== undefined) program.root.error(`error: ${wrong}`);
      const directory = await session.asFarAsItGoes(auditTrail.name, AuditDirectory);
      const chunks = await directory.projected(options.account, filterOf(options));
      return firstOf(chunks, options.limit ?? Infinity);
    },
    forPeople,
  );
}

function contradictionIn({ from, to, targetType, targetId }: Options): string | undefined {
  if (targetId !== undefined && targetType === undefined) return '--target-id needs --target-type';
  if (from !== undefined && to !== undefined && from > to) return '--from must not be after --to';
  return undefined;
}

function filterOf({ action, actor, targetType, targetId, from, to }: Options): EventFilter {
  const target = targetType && { type: targetType, id: targetId };
  return { actions: action, actor, target, from, to };
}

async function* firstOf(
  chunks: AsyncIterable<readonly AuditEvent[]>,
  limit: number,
): AsyncGenerator<readonly AuditEvent[]> {
  let left = limit;
  for await (const chunk of chunks) {
    yield chunk.slice(0, left);
    left -= chunk.length;
    if (left <= 0) return;
  }
}

const ACTION_WIDTH = Math.max(...ACTIONS.map(({ length }) => length));

function forPeople({ occurred_at, action, actor, target, changes }: AuditEvent): string {
  const who = actor.user_id === null ? actor.type : `${actor.user_id}, ${actor.type}`;
  const label = target.name === null ? '' : ` (${printable(target.name)})`;
  const changed = changes.map(
    ({ field, before, after }) => `${field} ${cell(before)} → ${cell(after)}`,
  );
  return [
    occurred_at,
    action.padEnd(ACTION_WIDTH),
    `${target.type} ${printable(target.id)}${label}`,
    `by ${printable(who)} ${printable(actor.id)}`,
    changed.join(', '),
  ]
    .join('  ')
    .trimEnd();
}

function cell(value: unknown): string {
  return value === null ? '-' : printable(JSON.stringify(value));
}

function time(text: string): string {
  const parsed = parseUtcTimestamp(text);
  if (parsed !== null) return parsed;
  throw new InvalidArgumentError('takes a real date and time in the form YYYY-MM-DDTHH:MM:SSZ.');
}

function count(text: string): number {
  if (/^[0-9]+$/.test(text) && Number(text) > 0) return Number(text);
  throw new InvalidArgumentError('takes a whole number of at least 1.');
}
