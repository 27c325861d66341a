import { Option } from 'commander';
import { printable } from '../../edge/command-line/readable-result.js';
import {
  parseCount,
  optional,
  required,
  parseTime,
} from '../../edge/command-line/option-values.js';
import type { Program } from '../../edge/command-line/program.js';
import { AuditDirectory } from './audit-directory/audit-directory.js';
import { eventFilterOf } from './audit-event.fields.js';
import {
  type Action,
  type AuditEvent,
  TARGET_TYPES,
  type TargetType,
} from './domain/audit-event.js';
import { ACTIONS } from './domain/descriptions.js';

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

export function addAuditCommand(program: Program): void {
  program.lines(program.root, {
    name: 'audit',
    description: 'List the changes in an account and their authors, newest first.',
    options: [
      required('--account <id>', 'id of the account'),
      new Option(
        '--from <time>',
        'only events at this time or later; a date means 00:00 UTC of that day',
      ).argParser(parseTime),
      new Option(
        '--to <time>',
        'only events before this time; a date means 00:00 UTC of that day',
      ).argParser(parseTime),
      new Option('--action <action...>', 'only events with one of these actions').choices(ACTIONS),
      optional(
        '--actor <id>',
        'only events that this user, management key (its hash) or operator caused',
      ),
      new Option('--target-type <type>', 'only events on targets of this type').choices(
        TARGET_TYPES,
      ),
      optional('--target-id <id>', 'only events on the target with this id; needs --target-type'),
      new Option('--limit <count>', 'maximum number of events; default: all').argParser(parseCount),
    ],
    async action(session, options: Options) {
      const { account, targetType, targetId, from, to, limit = Infinity } = options;
      if (targetId !== undefined && targetType === undefined) {
        program.root.error('error: --target-id needs --target-type');
      }
      if (from !== undefined && to !== undefined && from > to) {
        program.root.error('error: --from must not be after --to');
      }
      const directory = await session.catchUpAsFarAsPossible(AuditDirectory);
      const filter = eventFilterOf({ ...options, target_type: targetType, target_id: targetId });
      return firstOf(await directory.projected(account, filter), limit);
    },
    readable: eventForPeople,
  });
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
/** The number of digits of a hash that a line shows, as in the request log. */
const SHOWN_DIGITS = 8;

/**
 * Formats an event for people: time, action and actor; then the target; then the changes. All lines
 * but the first are indented, so that no name of a target looks like an event.
 */
function eventForPeople({ occurred_at, action, actor, target, changes }: AuditEvent): string {
  const label = target.name === null ? '' : ` (${printable(target.name)})`;
  return [
    `${occurred_at}  ${action.padEnd(ACTION_WIDTH)}  by ${actorForPeople(actor)}`,
    `${target.type} ${printable(target.id)}${label}`,
    ...changes.map(
      ({ field, before, after }) => `${field} ${changedValue(before)} → ${changedValue(after)}`,
    ),
  ].join('\n  ');
}

function actorForPeople({ type, id, user_id }: AuditEvent['actor']): string {
  if (user_id === null) return `${type} ${printable(id)}`;
  return `${printable(user_id)}, ${type} ${id.slice(0, SHOWN_DIGITS)}`;
}

function changedValue(value: unknown): string {
  return value === null ? '-' : printable(JSON.stringify(value));
}
