import { Counter, Gauge, type Registry } from 'prom-client';
import type { EventLog, Place } from '../../event-sourcing/event-log/event-log.js';
import type { Clock } from '../../kernel/clock.js';
import type { Projections } from '../../event-sourcing/projections/projections.js';
import { PROJECTION_STATES } from '../../event-sourcing/projections/standing.js';
import type { RunningProjection } from '../../event-sourcing/projections/running-projection.js';
import { inTime } from '../../kernel/in-time.js';
import { PATIENCE_MS } from './readiness.js';

/** The number of events after which a scrape stops counting, if the log must read events to count them. */
const COUNTED = 10_000;

interface CountedPlace extends Place {
  /** The number of events after the position; null while the log takes too long to count these events. */
  readonly events: number | null;
}

/** The sources of the metrics of projections. */
export interface AskedAboutProjections {
  readonly projections: Projections;
  readonly log: EventLog;
  readonly clock: Clock;
}

/**
 * Makes the metrics of projections. The returned function asks the log where each projection stands, and resolves to a
 * function that sets all metrics at once. A value that the log does not deliver in time is left out, because the other
 * values matter most when the log is slow.
 */
export function projectionMetrics(
  registry: Registry,
  { projections, log, clock }: AskedAboutProjections,
): () => Promise<() => void> {
  const about = { labelNames: ['projection'], registers: [registry] };
  const state = new Gauge({
    ...about,
    name: 'keyledger_projection_state',
    help: '1 for the state a projection is in (idle, catching-up, live, stalled, stuck), 0 for the others.',
    labelNames: ['projection', 'state'],
  });
  const folded = new Counter({
    ...about,
    name: 'keyledger_projection_events_folded_total',
    help: 'Events folded into a read model.',
  });
  const stalls = new Counter({
    ...about,
    name: 'keyledger_projection_stalls_total',
    help: 'How often the subscription delivered nothing for 5 s although the log had new events.',
  });
  const degraded = new Gauge({
    ...about,
    name: 'keyledger_projection_degraded',
    help: '1 while a read model skips accounts or is damaged, but continues, else 0.',
  });
  const position = new Gauge({
    ...about,
    name: 'keyledger_projection_position',
    help: 'The position of a projection in the log: events, or bytes on EventStoreDB.',
  });
  const behind = new Gauge({
    ...about,
    name: 'keyledger_projection_lag_events',
    help: 'Events of the log after the position of a projection, events of other programs included; at most 10,000 on EventStoreDB.',
  });
  const age = new Gauge({
    ...about,
    name: 'keyledger_projection_lag_seconds',
    help: 'Age of the first event after the position of a projection; 0 when there is none.',
  });
  const filling = new Gauge({
    ...about,
    name: 'keyledger_projection_filling',
    help: '1 while any process fills a new generation of a read model, else 0.',
  });
  return async () => {
    const seen = await Promise.all(
      projections.all.map(async (running) => {
        return { running, place: await placeOf(running) };
      }),
    );
    return () => {
      for (const metric of [folded, stalls, position, behind, age, filling]) metric.reset();
      for (const { running, place } of seen) {
        const of = { projection: running.projection.name };
        for (const it of PROJECTION_STATES)
          state.set({ ...of, state: it }, Number(it === running.state));
        folded.inc(of, running.eventsFolded);
        filling.set(of, Number(running.isFilling));
        stalls.inc(of, running.stalls);
        degraded.set(of, Number(running.degraded.length > 0));
        if (!place) continue;
        position.set(of, place.passed);
        if (place.events !== null) behind.set(of, place.events);
        age.set(of, place.nextOccurredAt === null ? 0 : secondsSince(place.nextOccurredAt));
      }
    };
  };

  async function placeOf({
    progress: { position },
  }: RunningProjection): Promise<CountedPlace | null> {
    const place = await inTime(log.place(position), PATIENCE_MS).catch(() => null);
    if (!place) return null;
    if (place.ahead === 0) return { ...place, events: 0 };
    const counted = inTime(log.countAfter(position, { limit: COUNTED }), PATIENCE_MS);
    return { ...place, events: await counted.catch(() => null) };
  }

  function secondsSince(time: string): number {
    return Math.max(0, clock.now().getTime() - Date.parse(time)) / 1_000;
  }
}
