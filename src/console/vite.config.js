import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { env } from 'node:process';
import { defineConfig } from 'vite';
import { commit } from '../../rspack.config.js';

const PACKAGE = join(import.meta.dirname, '../../package.json');
const { version } = JSON.parse(readFileSync(PACKAGE, 'utf8'));

/** Where `npm run dev:console` sends the calls of the console: the service of `npm run dev`. */
const SERVICE = `http://127.0.0.1:${env.PORT || 3000}`;

export default defineConfig({
  root: import.meta.dirname,
  // All addresses are relative, so that the console works below any prefix of a proxy.
  base: './',
  define: { BUILT_VERSION: JSON.stringify(version), BUILT_FROM: JSON.stringify(commit()) },
  server: { open: '/console/', proxy: { '/v1': SERVICE } },
  build: {
    outDir: '../../dist/console',
    emptyOutDir: true,
    target: 'es2022',
    // Firefox judges a preload of a module by `default-src`, which the policy sets to none.
    modulePreload: false,
    // A file that is written into another one would need a wider policy.
    assetsInlineLimit: 0,
  },
});
