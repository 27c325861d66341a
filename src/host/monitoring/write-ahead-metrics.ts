import { Gauge, type Registry } from 'prom-client';
import type { WriteAheadLog } from '../../event-sourcing/event-log/write-ahead-log.js';

/** Makes the metric of the embedded log's write-ahead log. @param log null when the log is on a server. */
export function writeAheadMetrics(registry: Registry, log: WriteAheadLog | null): void {
  new Gauge({
    name: 'keyledger_event_log_wal_bytes',
    help: 'Length of events.db-wal, the write-ahead log of the embedded log; 0 on EventStoreDB.',
    registers: [registry],
    collect() {
      this.set(log?.bytes ?? 0);
    },
  });
}
