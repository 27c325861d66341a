import { Link } from 'wouter-preact';
import type { components } from '../api/openapi.js';
import { useRights } from '../frame/who.js';
import { addressOf } from '../routing/place.js';
import { plainDecimal } from './money.js';
import { type Column, Table } from './table.js';
import { Time } from './times.js';

export type AuditEvent = components['schemas']['AuditEvent'];

const COLUMNS: readonly Column<AuditEvent>[] = [
  { title: 'Time', cell: ({ occurred_at: at }) => <Time at={at} /> },
  {
    title: 'Action',
    cell: ({ action }) =>
      action.endsWith('limit-reached') ? <strong class="fault">{action}</strong> : action,
  },
  { title: 'Target', cell: (event) => <Target of={event} /> },
  { title: 'By', cell: (event) => <Actor of={event} /> },
  {
    title: 'Change',
    cell: ({ changes }) => (
      <ul class="changes">
        {changes.map(({ field, before, after }) => (
          <li key={field}>
            {field} <Change before={before} after={after} />
          </li>
        ))}
      </ul>
    ),
  },
];

/** Shows audit events: what was done, by whom, to what, and each change as before → after. */
export function AuditEvents({ of: events, empty }: { of: readonly AuditEvent[]; empty: string }) {
  return (
    <Table
      caption="Audit events"
      columns={COLUMNS}
      rows={events}
      idOf={({ id }) => id}
      empty={empty}
    />
  );
}

/** Returns the page about the target of an event; undefined where the account has none. */
function pageOf({ type, id }: AuditEvent['target'], isOrganization: boolean): string | undefined {
  switch (type) {
    case 'key':
      return `/keys/${id}`;
    case 'workspace':
      return `/workspaces/${id}`;
    case 'end-user':
      return isOrganization ? addressOf('/end-users', { user: id }) : undefined;
    case 'member':
    case 'management-key':
      return isOrganization ? '/team' : undefined;
    default:
      return undefined;
  }
}

function Target({ of: { target } }: { of: AuditEvent }) {
  const page = pageOf(target, useRights().isOrganization);
  const name = <bdi>{target.name ?? target.id}</bdi>;
  if (page === undefined) return <span class="name">{name}</span>;
  return (
    <Link href={page} class="name">
      {name}
    </Link>
  );
}

function Actor({ of: { actor } }: { of: AuditEvent }) {
  const name = actor.user_id ?? actor.id;
  return (
    <bdi class="name" title={`${actor.type} ${actor.id}`}>
      {name}
    </bdi>
  );
}

function Change({ before, after }: { before?: unknown; after?: unknown }) {
  if (before === null) return <Value of={after} />;
  return (
    <>
      <span class="none">
        <Value of={before} />
      </span>{' '}
      → <Value of={after} />
    </>
  );
}

const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z$/;

function Value({ of: value }: { of: unknown }) {
  if (typeof value === 'string' && TIME.test(value)) return <Time at={value} />;
  return <bdi>{valueText(value)}</bdi>;
}

function valueText(value: unknown): string {
  if (value === null || value === undefined) return 'none';
  if (typeof value === 'number') return plainDecimal(value);
  return typeof value === 'string' ? value : JSON.stringify(value);
}
