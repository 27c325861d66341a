import { Counter, type Registry } from 'prom-client';

/** An observer that counts refused connections, and connections cut off because the client did not read an answer. */
export interface ConnectionObserver {
  readonly refused: (bound: 'all' | 'address') => void;
  readonly cutOff: () => void;
}

/** Makes the metrics of connections. Returns the observer that updates these metrics. */
export function connectionMetrics(registry: Registry): ConnectionObserver {
  const registers = [registry];
  const refused = new Counter({
    name: 'keyledger_connections_refused_total',
    help: 'Connections closed at once, by the limit that they exceeded: all, or those of one address.',
    labelNames: ['bound'],
    registers,
  });
  for (const bound of ['all', 'address']) refused.inc({ bound }, 0);
  const cutOff = new Counter({
    name: 'keyledger_unread_answers_cut_off_total',
    help: 'Connections closed because the client read nothing of an answer for too long.',
    registers,
  });
  return { refused: (bound) => refused.inc({ bound }), cutOff: () => cutOff.inc() };
}
