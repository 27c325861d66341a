import { defineConfig } from 'rolldown';
import service from '../rolldown.config.mjs';

// The baseline is bundled like the service, because bundled packages load and run faster.
export default defineConfig({
  ...service,
  input: {
    baseline: 'dist/bench/bench/baseline/baseline.js',
    beside: 'dist/bench/bench/baseline/beside.js',
  },
  output: { ...service.output, dir: 'dist/bench/bundled' },
});
