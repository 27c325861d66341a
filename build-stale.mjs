import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import process from 'node:process';

// Runs before `npm start`, and builds if the build is out of date. An installation without dev dependencies (`npm ci
// --omit=dev`) starts the existing build.
const require = createRequire(import.meta.url);
const missing = ['typescript', 'rolldown'].filter((tool) => !isInstalled(tool));

if (missing.length === 0) {
  const { status } = spawnSync('npm', ['run', '--silent', 'build'], { stdio: 'inherit' });
  process.exitCode = status ?? 1;
} else if (existsSync('dist/main.js')) {
  tell('dist/ is started as it is.');
} else {
  tell('dist/main.js is missing too. Run `npm ci`, then `npm start`.');
  process.exitCode = 1;
}

/** @param {string} tool */
function isInstalled(tool) {
  try {
    require.resolve(`${tool}/package.json`);
    return true;
  } catch {
    return false;
  }
}

/** @param {string} consequence */
function tell(consequence) {
  process.stderr.write(
    `Nothing is built: not installed is ${missing.join(', ')}. ${consequence}\n`,
  );
}
