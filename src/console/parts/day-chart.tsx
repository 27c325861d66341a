import { type Answer, answered, api, type Schemas } from '../api/client.js';
import type { operations } from '../api/openapi.js';
import { nanoOf, nanoText } from './money.js';
import { Load } from './states.js';
import { type Column, Table } from './table.js';
import { dayAfter } from './times.js';

type ActivityRow = Schemas['Activity'];
type ActivityQuery = NonNullable<operations['listActivity']['parameters']['query']>;

const WIDTH = 600;
const HEIGHT = 96;
const MOST_GAP = 3;
const DAY_MS = 24 * 3_600 * 1_000;
const MOST_ROWS = 1_000;

/** Loads every row that matches, page by page. Use it only where rows are few, such as days. */
async function allActivity(query: ActivityQuery): Promise<Answer<readonly ActivityRow[]>> {
  const rows: ActivityRow[] = [];
  let isStale = false;
  let cursor: string | null | undefined;
  do {
    const page = { ...query, limit: MOST_ROWS, ...(cursor && { cursor }) };
    const answer = await answered(api.GET('/v1/activity', { params: { query: page } }));
    rows.push(...answer.value.data);
    isStale ||= answer.isStale;
    cursor = answer.value.next_cursor;
  } while (cursor !== null);
  return { value: rows, isStale };
}

/** The use of a UTC day. */
interface Day {
  readonly date: string;
  readonly usage: bigint;
  readonly byok: bigint;
  readonly requests: number;
}

/** Adds up rows of the same day, and fills in the days without one, oldest first. */
function daysOf(rows: readonly ActivityRow[], first: string, last: string): Day[] {
  const count = Math.round((Date.parse(last) - Date.parse(first)) / DAY_MS) + 1;
  return Array.from({ length: count }, (_, index) => {
    const date = dayAfter(first, index);
    const ofDay = rows.filter((row) => row.date === date);
    return {
      date,
      usage: ofDay.reduce((sum, { usage }) => sum + nanoOf(usage), 0n),
      byok: ofDay.reduce((sum, { byok_usage: byok }) => sum + nanoOf(byok), 0n),
      requests: ofDay.reduce((sum, { requests }) => sum + requests, 0),
    };
  });
}

const COLUMNS: readonly Column<Day>[] = [
  { title: 'Day (UTC)', cell: ({ date }) => date },
  { title: 'Usage, USD', isNumber: true, cell: ({ usage }) => nanoText(usage) },
  { title: 'BYOK, USD', isNumber: true, cell: ({ byok }) => nanoText(byok) },
  { title: 'Requests', isNumber: true, cell: ({ requests }) => requests },
];

/** Charts of what was used by day: spending with BYOK on top of it, and requests. */
export function DayCharts(props: {
  query: ActivityQuery & { readonly from: string; readonly to: string };
  what: string;
}) {
  const { query, what } = props;
  return (
    <Load of={JSON.stringify(query)} by={() => allActivity(query)}>
      {(rows) => <Charts days={daysOf(rows, query.from, query.to)} what={what} />}
    </Load>
  );
}

function Charts({ days, what }: { days: readonly Day[]; what: string }) {
  const most = days.reduce((top, { usage, byok }) => (usage + byok > top ? usage + byok : top), 0n);
  const mostRequests = Math.max(...days.map(({ requests }) => requests));
  const share = (part: bigint): number => (most > 0n ? Number(part) / Number(most) : 0);
  return (
    <>
      <div class="side-by-side">
        <Bars
          title={`USD by day (UTC): ${what}`}
          legend="USD, BYOK on top in the lighter colour:"
          top={nanoText(most)}
          days={days}
          parts={({ usage, byok }) => ({ usage: share(usage), byok: share(byok) })}
        />
        <Bars
          title={`Requests by day (UTC): ${what}`}
          legend="Requests:"
          top={String(mostRequests)}
          days={days}
          parts={({ requests }) => ({ requests: requests / (mostRequests || 1) })}
        />
      </div>
      <details>
        <summary>The days as a table</summary>
        <Table
          caption={`${what} by day (UTC)`}
          columns={COLUMNS}
          rows={days}
          idOf={({ date }) => date}
          empty="There are no days."
        />
      </details>
    </>
  );
}

/** Bars of days. */
function Bars(props: {
  title: string;
  legend: string;
  top: string;
  days: readonly Day[];
  /** The shares of the parts of a bar, from the bottom. Their names are the classes. */
  parts: (day: Day) => Readonly<Record<string, number>>;
}) {
  const { title, legend, top, days, parts } = props;
  const step = WIDTH / days.length;
  const gap = Math.min(MOST_GAP, step / 4);
  return (
    <figure class="bars">
      <figcaption>
        {legend} <small class="none">highest day {top}</small>
      </figcaption>
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        role="img"
        aria-label={title}
        preserveAspectRatio="none"
      >
        {days.map((day, index) => {
          let y = HEIGHT;
          return (
            <g key={day.date}>
              <title>{titleOf(day)}</title>
              <rect fill="transparent" x={index * step} width={step} y={0} height={HEIGHT} />
              {Object.entries(parts(day)).map(([name, part]) => {
                const height = part > 0 ? Math.max(part * HEIGHT, 1) : 0;
                y -= height;
                const x = index * step + gap / 2;
                return (
                  <rect key={name} class={name} x={x} y={y} width={step - gap} height={height} />
                );
              })}
            </g>
          );
        })}
      </svg>
      <small class="ends none">
        <span>{days[0]?.date}</span>
        <span>{days.at(-1)?.date}</span>
      </small>
    </figure>
  );
}

function titleOf({ date, usage, byok, requests }: Day): string {
  return `${date}: ${nanoText(usage)} USD, BYOK ${nanoText(byok)} USD, ${requests} requests`;
}
