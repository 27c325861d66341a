import { Link } from 'wouter-preact';
import { answered, api, type Schemas } from '../api/client.js';
import { useRights } from '../frame/who.js';
import { addressOf, addressOfEndUser } from '../routing/place.js';
import { plainDecimal } from './money.js';
import { Name } from './names.js';
import { Load } from './states.js';
import { type Column, Table } from './table.js';
import { Time } from './times.js';

type AuditEvent = Schemas['AuditEvent'];

const COLUMNS: readonly Column<AuditEvent>[] = [
  { title: 'Time', cell: ({ occurred_at: at }) => <Time at={at} /> },
  {
    title: 'Action',
    cell: ({ action }) =>
      action.endsWith('limit-reached') ? <strong class="fault">{action}</strong> : action,
  },
  { title: 'Target', cell: (event) => <Target of={event} /> },
  {
    title: 'By',
    cell: ({ actor: { type, id, user_id: user } }) => (
      <bdi class="name" title={`${type} ${id}`}>
        {user ?? id}
      </bdi>
    ),
  },
  {
    title: 'Change',
    cell: ({ changes }) => (
      <ul class="changes">
        {changes.map(({ field, before, after }) => (
          <li key={field}>
            {field} <Change of={field} before={before} after={after} />
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

const MOST_LATEST = 10;

/** Shows the newest audit events that match, and leads to all of them. */
export function LatestEvents(props: {
  query: {
    readonly action?: string[];
    readonly from?: string;
    readonly target_type?: 'key';
    readonly target_id?: string;
  };
  empty: string;
}) {
  const query = { ...props.query, limit: MOST_LATEST };
  const { action, ...filters } = props.query;
  const all = addressOf('/audit', { ...filters, action: action?.join() });
  return (
    <Load of={all} by={() => answered(api.GET('/v1/audit-events', { params: { query } }))}>
      {({ data, next_cursor: next }) => (
        <>
          <AuditEvents of={data} empty={props.empty} />
          {next !== null && <Link href={all}>All of them</Link>}
        </>
      )}
    </Load>
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
      return isOrganization ? addressOfEndUser(id) : undefined;
    case 'member':
    case 'management-key':
      return isOrganization ? '/team' : undefined;
    default:
      return undefined;
  }
}

function Target({ of: { target } }: { of: AuditEvent }) {
  const page = pageOf(target, useRights().isOrganization);
  return <Name of={target.name ?? target.id} href={page} />;
}

function Change({ of: field, before, after }: { of: string; before?: unknown; after?: unknown }) {
  const shown = (value: unknown) =>
    typeof value === 'string' && TIMES.test(field) ? (
      <Time at={value} />
    ) : (
      <bdi>{valueText(value)}</bdi>
    );
  if (before === null) return shown(after);
  return (
    <>
      <span class="none">{shown(before)}</span> → {shown(after)}
    </>
  );
}

/** The fields that hold times. A name can look like a time, and is none. */
const TIMES = /_(at|start)$/;

function valueText(value: unknown): string {
  if (value === null || value === undefined) return 'none';
  if (typeof value === 'number') return plainDecimal(value);
  return typeof value === 'string' ? value : JSON.stringify(value);
}
