import { Counter, Gauge, type Registry } from 'prom-client';

/** The parts of the service that supply the metrics of verifications. */
export interface VerificationSources {
  /** The keys in memory. */
  readonly keys: {
    /** The age of the keys in memory, in milliseconds: the time since the last look at the log. */
    readonly ageMs: number;
    readonly count: number;
    observe(onLookUp: (isHit: boolean) => void): void;
  };
  readonly verifications: { observe(onVerified: (code: string) => void): void };
  /** All codes that a verification can have. */
  readonly codes: readonly string[];
  readonly gateways: { observe(onUnauthorized: (fault: string) => void): void };
  /** All faults that the key of a gateway can have. */
  readonly gatewayFaults: readonly string[];
}

/** Makes the metrics of verifications and of the keys in memory. */
export function verificationMetrics(
  registry: Registry,
  { keys, verifications, codes, gateways, gatewayFaults }: VerificationSources,
): void {
  const registers = [registry];
  const answers = new Counter({
    name: 'keyledger_verifications_total',
    help: 'Verifications of keys, by the code of the answer.',
    labelNames: ['code'],
    registers,
  });
  for (const code of codes) answers.inc({ code }, 0);
  verifications.observe((code) => answers.inc({ code }));
  const unauthorized = new Counter({
    name: 'keyledger_gateway_refusals_total',
    help: 'Requests of gateways that were refused because of the key of the gateway itself, by what was wrong with it.',
    labelNames: ['key'],
    registers,
  });
  for (const key of gatewayFaults) unauthorized.inc({ key }, 0);
  gateways.observe((key) => unauthorized.inc({ key }));
  const lookUps = new Counter({
    name: 'keyledger_key_look_ups_total',
    help: 'Look-ups of keys: hit in memory, or miss.',
    labelNames: ['outcome'],
    registers,
  });
  for (const outcome of ['hit', 'miss']) lookUps.inc({ outcome }, 0);
  keys.observe((isHit) => lookUps.inc({ outcome: isHit ? 'hit' : 'miss' }));
  new Gauge({
    name: 'keyledger_known_keys',
    help: 'Keys in memory.',
    registers,
    collect() {
      this.set(keys.count);
    },
  });
  new Gauge({
    name: 'keyledger_known_keys_age_seconds',
    help: 'Age of the keys in memory: the time since the last look at the log.',
    registers,
    collect() {
      this.set(keys.ageMs / 1_000);
    },
  });
}
