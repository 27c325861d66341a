import { dayAfter } from './times.js';
import { nanoOf, nanoText } from './money.js';
import { type Column, Table } from './table.js';

/** The use of a UTC day. A day without a row has none. */
export interface DayOfUse {
  readonly date: string;
  readonly usage: number;
  readonly byok_usage: number;
  readonly requests: number;
}

const WIDTH = 600;
const HEIGHT = 96;
const MOST_GAP = 3;
const DAY_MS = 24 * 3_600 * 1_000;

/** Adds up rows of the same day, and fills in the days without one, oldest first. */
function daysOf(rows: readonly DayOfUse[], first: string, last: string) {
  const count = Math.round((Date.parse(last) - Date.parse(first)) / DAY_MS) + 1;
  return Array.from({ length: count }, (_, index) => {
    const date = dayAfter(first, index);
    const ofDay = rows.filter((row) => row.date === date);
    const add = (field: 'usage' | 'byok_usage'): bigint =>
      ofDay.reduce((sum, row) => sum + nanoOf(row[field]), 0n);
    const requests = ofDay.reduce((sum, row) => sum + row.requests, 0);
    return { date, usage: add('usage'), byok: add('byok_usage'), requests };
  });
}

type Day = ReturnType<typeof daysOf>[number];

const COLUMNS: readonly Column<Day>[] = [
  { title: 'Day (UTC)', cell: ({ date }) => date },
  { title: 'Usage, USD', isNumber: true, cell: ({ usage }) => nanoText(usage) },
  { title: 'BYOK, USD', isNumber: true, cell: ({ byok }) => nanoText(byok) },
  { title: 'Requests', isNumber: true, cell: ({ requests }) => requests },
];

/** Charts of what was used by day: spending with BYOK on top of it, and requests. */
export function DayCharts({
  rows,
  last,
  first = dayAfter(last, -29),
  what,
}: {
  rows: readonly DayOfUse[];
  /** The first UTC day. By default there are 30. */
  first?: string;
  last: string;
  what: string;
}) {
  const days = daysOf(rows, first, last);
  const most = days.reduce((top, { usage, byok }) => (usage + byok > top ? usage + byok : top), 0n);
  const mostRequests = Math.max(...days.map(({ requests }) => requests));
  return (
    <>
      <div class="side-by-side">
        <Bars
          title={`USD by day (UTC): ${what}`}
          legend="USD, BYOK on top in the lighter colour:"
          top={nanoText(most)}
          days={days}
          parts={(day) => [
            ['usage', share(day.usage, most)],
            ['byok', share(day.byok, most)],
          ]}
        />
        <Bars
          title={`Requests by day (UTC): ${what}`}
          legend="Requests:"
          top={String(mostRequests)}
          days={days}
          parts={({ requests }) => [['requests', mostRequests > 0 ? requests / mostRequests : 0]]}
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

const share = (part: bigint, most: bigint): number => (most > 0n ? Number(part) / Number(most) : 0);

/** Bars of days. The class of a part gives its colour. */
function Bars({
  title,
  legend,
  top,
  days,
  parts,
}: {
  title: string;
  legend: string;
  top: string;
  days: readonly Day[];
  parts: (day: Day) => readonly (readonly [name: string, share: number])[];
}) {
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
              {parts(day).map(([name, part]) => {
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
