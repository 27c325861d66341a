import { useState } from 'preact/hooks';
import { answered, api } from '../../api/client.js';
import { Page } from '../../frame/page.js';
import { useRights } from '../../frame/who.js';
import { AtOnce } from '../../parts/change.js';
import { DayCharts } from '../../parts/day-chart.js';
import { SelectField, TextField } from '../../parts/fields.js';
import { FilterForm } from '../../parts/form.js';
import { CursorList } from '../../parts/table.js';
import { dayOf } from '../../parts/times.js';
import { WorkspaceField } from '../../parts/workspace-field.js';
import { addressOf, usePlace } from '../../routing/place.js';
import { saveActivity } from './activity-file.js';
import { chartQuery, type TableQuery, tableQuery } from './activity-query.js';
import { ActivityTable } from './activity-table.js';

/** The use by day: charts, a table page by page, and all of its rows as files. */
export function ActivityPage() {
  const { path, filters } = usePlace();
  const [today] = useState(() => dayOf(new Date()));
  const query = tableQuery(filters, today);
  const ofDays = chartQuery(query);
  return (
    <Page
      title="Activity"
      actions={
        <>
          <AtOnce title="Download NDJSON" send={() => saveActivity(query, 'ndjson')} />
          <AtOnce title="Download CSV" send={() => saveActivity(query, 'csv')} />
        </>
      }
    >
      <ActivityFilters key={addressOf(path, query)} of={query} />
      {ofDays && <DayCharts query={ofDays} what="activity" />}
      <CursorList
        what="activity"
        filters={query}
        read={(page) =>
          answered(api.GET('/v1/activity', { params: { query: { ...query, ...page } } }))
        }
      >
        {(rows) => <ActivityTable rows={rows} by={query.group_by} />}
      </CursorList>
    </Page>
  );
}

const GROUPS = [
  ['key', 'Key'],
  ['workspace', 'Workspace'],
  ['user', 'End user'],
] as const;

/** The filters of the activity: its grouping, its days, and a workspace, key or end user. */
function ActivityFilters({ of: query }: { of: TableQuery }) {
  const { isOrganization } = useRights();
  const [group, setGroup] = useState(query.group_by);
  const groups = GROUPS.filter(([value]) => value !== 'user' || isOrganization);
  return (
    <FilterForm of={query}>
      <SelectField label="Rows by" name="group_by" options={groups} onValue={setGroup} />
      <TextField label="From (UTC)" name="from" type="date" />
      <TextField label="To (UTC)" name="to" type="date" />
      {group !== 'user' && <WorkspaceField none="All workspaces" />}
      {group === 'key' && <TextField label="Hash of a key" name="api_key_hash" />}
      {group === 'user' && <TextField label="Tracking ID" name="user" />}
    </FilterForm>
  );
}
