import type { Server } from 'node:http';
import { Counter, type Registry } from 'prom-client';

/** Counts the connections that a server refuses because too many are open. */
export function connectionMetrics(registry: Registry, server: Server): void {
  const refused = new Counter({
    name: 'keyledger_connections_refused_total',
    help: 'Connections closed at once, because too many were open.',
    registers: [registry],
  });
  server.on('drop', () => refused.inc());
}
