import { defineConfig } from 'rolldown';
import service from '../rolldown.config.mjs';

// What stands in for the service is bundled like it, because packages are faster as modules than as they are required.
export default defineConfig({
  ...service,
  input: {
    baseline: 'dist/bench/bench/baseline/baseline.js',
    beside: 'dist/bench/bench/baseline/beside.js',
  },
  output: { ...service.output, dir: 'dist/bench/bundled' },
});
