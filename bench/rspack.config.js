import service from '../rspack.config.js';

/**
 * The benchmark and the programs that it starts. The baseline is built like the service, so that
 * both run alike.
 */
const PROGRAMS = {
  'bench/bench': './bench/bench.ts',
  'bench/baseline': './bench/baseline/baseline.ts',
  'bench/beside': './bench/baseline/beside.ts',
  'bench/replay': './bench/replay.ts',
  'bench/bare-client': './bench/bare-client.ts',
  'bench/raw-load': './bench/raw-load.ts',
};

export default (defaults, rspack) => {
  const built = service(defaults, rspack);
  return { ...built, entry: { ...built.entry, ...PROGRAMS } };
};
