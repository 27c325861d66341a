import { useState } from 'preact/hooks';
import { allActivity } from '../../api/activity.js';
import { answered, api } from '../../api/client.js';
import { useAnswer } from '../../api/use-answer.js';
import { Page } from '../../frame/page.js';
import { ChangeButton } from '../../parts/change-button.js';
import { CursorPager } from '../../parts/cursor-pager.js';
import { DayCharts } from '../../parts/day-chart.js';
import { Show } from '../../parts/states.js';
import { PAGE_SIZE } from '../../parts/table.js';
import { dayOf } from '../../parts/times.js';
import { addressOf, usePlace } from '../../routing/place.js';
import { saveActivity } from './activity-file.js';
import { ActivityFilters } from './activity-filters.js';
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
          <ChangeButton title="Download NDJSON" send={() => saveActivity(query, 'ndjson')} />
          <ChangeButton title="Download CSV" send={() => saveActivity(query, 'csv')} />
        </>
      }
    >
      <ActivityFilters key={addressOf(path, query)} query={query} />
      {ofDays && <Charts query={ofDays} />}
      <Rows query={query} cursor={filters.cursor} />
    </Page>
  );
}

function Charts({ query }: { query: TableQuery }) {
  const loaded = useAnswer(addressOf('days', query), (signal) => allActivity(query, signal));
  return (
    <Show loaded={loaded}>
      {(rows) => <DayCharts rows={rows} first={query.from} last={query.to} what="activity" />}
    </Show>
  );
}

function Rows({ query, cursor }: { query: TableQuery; cursor: string | undefined }) {
  const page = { ...query, limit: PAGE_SIZE, ...(cursor !== undefined && { cursor }) };
  const loaded = useAnswer(addressOf('rows', { ...query, cursor }), (signal) =>
    answered(api.GET('/v1/activity', { params: { query: page }, signal })),
  );
  return (
    <Show loaded={loaded}>
      {({ data, next_cursor: next }) => (
        <>
          <ActivityTable rows={data} by={query.group_by} />
          <CursorPager next={next} cursor={cursor} what="activity" filters={query} />
        </>
      )}
    </Show>
  );
}
