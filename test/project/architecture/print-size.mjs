// Prints the size of the source. No check fails on the numbers, because they grow for good reasons.
import { readdirSync, readFileSync } from 'node:fs';
import process from 'node:process';

const filesOf = (folder, endings = /\.tsx?$/) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => endings.test(file) && !file.endsWith('openapi.d.ts'))
    .map((file) => `${folder}/${file}`);
const textOf = (file) => readFileSync(file, 'utf8');
const linesOf = (files) =>
  files.reduce((sum, file) => sum + textOf(file).split('\n').length - 1, 0);
const isSpec = (file) => /\.spec\.tsx?$/.test(file);

const all = filesOf('src');
const consoleFiles = filesOf('src/console', /\.(tsx?|css|html|js)$/).filter(
  (file) => !isSpec(file),
);
const source = all.filter((file) => !isSpec(file) && !file.startsWith('src/console/'));
const groups = readdirSync('src', { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && entry.name !== 'console')
  .map(({ name }) => [`src/${name}`, source.filter((file) => file.startsWith(`src/${name}/`))]);
const tests = [...all.filter(isSpec), ...filesOf('test')];
const field = source.filter((file) => textOf(file).includes('include_byok_in_limit'));

const rows = [
  ['src', source],
  ...groups,
  ['src that names include_byok_in_limit', field],
  ['src/console', consoleFiles],
  ['tests and specs', tests],
];
for (const [what, files] of rows) {
  process.stdout.write(`${what.padEnd(48)} ${files.length} files, ${linesOf(files)} lines\n`);
}
