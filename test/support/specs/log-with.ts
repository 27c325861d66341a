import type { EventLog } from '../../../src/event-sourcing/event-log/event-log.js';

/** A log with some of its methods replaced. */
export function logWith(log: EventLog, over: Partial<EventLog>): EventLog {
  return {
    part: log.part,
    append: (...args) => log.append(...args),
    readStream: (...args) => log.readStream(...args),
    follow: (...args) => log.follow(...args),
    head: () => log.head(),
    ping: () => log.ping(),
    identity: () => log.identity(),
    close: () => log.close(),
    ...over,
  };
}

/** Makes logs that count their subscriptions. */
export function counting(counts: { follow: number }): (log: EventLog) => EventLog {
  return (log) =>
    logWith(log, {
      follow: (...args) => {
        counts.follow += 1;
        return log.follow(...args);
      },
    });
}
