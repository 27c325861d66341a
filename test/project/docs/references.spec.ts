import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { read, section, tableRows } from './markdown.js';

/** The numbers of the headings in docs/api.md. */
const SECTIONS = new Set(
  [...read('docs/api.md').matchAll(/^##+ (\d+(?:\.\d+)*) /gm)].map(([, number = '']) => number),
);

/** Documents that name sections of docs/api.md by a number in brackets. */
const IN_BRACKETS = [
  'docs/api.md',
  'docs/cli.md',
  'docs/metrics.md',
  'docs/operations/process.md',
  'docs/security.md',
  'docs/settings.md',
];

function filesUnder(folder: string, ending: RegExp): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => ending.test(file))
    .map((file) => join(folder, file));
}

const CODE = [...filesUnder('src', /\.ts$/), ...filesUnder('test', /\.ts$/)];
const DOCUMENTS = [
  'README.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'SECURITY.md',
  ...filesUnder('docs', /\.md$/),
  ...filesUnder('examples', /\.md$/),
  ...filesUnder('src', /\.md$/),
];

/** Gives each match of a pattern's first group in some files, with its file. */
function mentions(files: readonly string[], pattern: RegExp): { file: string; what: string }[] {
  return files.flatMap((file) =>
    [...read(file).matchAll(pattern)].map(([, what = '']) => ({ file, what })),
  );
}

const TESTS = filesUnder('test', /\.spec\.ts$/);

/** Whether a name is a command of package.json, or the beginning of a file of tests. */
function isSuite(name: string): boolean {
  const script = /^npm run (.+)$/.exec(name)?.[1];
  if (script !== undefined) return read('package.json').includes(`"${script}":`);
  const beginning = name.startsWith('test/') ? name : `test/service/${name}`;
  return TESTS.some((file) => file.startsWith(beginning));
}

/** Gives the anchors of the headings of a document, as GitHub makes them. */
function anchorsOf(markdown: string): string[] {
  return [...markdown.matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replace(/[^\w\s-]/g, '')
      .replaceAll(' ', '-'),
  );
}

describe('references', () => {
  it('to sections of docs/api.md lead to one that exists', () => {
    const inWords = mentions([...CODE, ...DOCUMENTS], /docs\/api\.md (\d+(?:\.\d+)*)/g);
    const within = mentions(IN_BRACKETS, /\((\d{1,2}(?:\.\d+)*)[,)]/g);
    expect(inWords.length).toBeGreaterThan(0);
    expect([...inWords, ...within].filter(({ what }) => !SECTIONS.has(what))).toEqual([]);
  });

  it('to decisions lead to one that exists', () => {
    const numbers = readdirSync('docs/adr')
      .filter((file) => /^\d/.test(file))
      .map((file) => String(Number(file.slice(0, 4))));
    const found = mentions([...CODE, ...DOCUMENTS], /\bADR (\d+)/g);
    expect(found.filter(({ what }) => !numbers.includes(what))).toEqual([]);
  });

  it('by link or by path in a document lead to a file that exists', () => {
    const links = mentions(DOCUMENTS, /\]\((?!https?:)([^)#]+)/g).map(({ file, what }) => ({
      file,
      what: join(dirname(file), what),
    }));
    const paths = mentions(DOCUMENTS, /`((?:src|test|docs)\/[\w./-]+)`/g);
    expect([...links, ...paths].filter(({ what }) => !existsSync(what))).toEqual([]);
  });

  it('to a part of a document lead to a heading that exists', () => {
    const links = mentions(DOCUMENTS, /\]\((?!https?:)([^)]*\.md#[^)]+|#[^)]+)\)/g);
    expect(links.length).toBeGreaterThan(0);
    const lost = links.filter(({ file, what }) => {
      const [path = '', anchor = ''] = what.split('#');
      const target = path === '' ? file : join(dirname(file), path);
      return !anchorsOf(read(target)).includes(anchor);
    });
    expect(lost).toEqual([]);
  });
});

describe('docs/adr', () => {
  const files = readdirSync('docs/adr').filter((file) => file !== 'README.md');

  it('has an index of its decisions by their titles', () => {
    const rows = tableRows(read('docs/adr/README.md'));
    const titles = files.map((file) => {
      const [, number = '', title] = /^# (\d+)\. (.+)$/m.exec(read(join('docs/adr', file))) ?? [];
      return [`[${number}](${file})`, title];
    });
    expect(rows).toEqual(titles);
  });

  it.each(files)('has in %s the headings of the template', (file) => {
    const headings = read(join('docs/adr', file)).match(/^## .+$/gm);
    expect(headings).toEqual(['## Context', '## Decision', '## Alternatives', '## Consequences']);
  });
});

describe('a folder of src', () => {
  const foldersIn = (folder: string): string[] =>
    readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => `${folder}/${name}`);
  // The README of the console is about all of its folders, which are small.
  const folders = foldersIn('src').flatMap((group) =>
    group === 'src/console' ? [group] : [group, ...foldersIn(group)],
  );

  it('has a README that says what lives there', () => {
    expect(folders.filter((folder) => !existsSync(`${folder}/README.md`))).toEqual([]);
  });

  it('has a row in docs/architecture.md', () => {
    const listed = tableRows(section(read('docs/architecture.md'), 'Folders'));
    const named = listed.map(([folder = '']) => /\]\(\.\.\/([\w/-]+)\)/.exec(folder)?.[1] ?? '');
    expect(named.toSorted()).toEqual(folders.toSorted());
  });

  it('has a row in CONTRIBUTING.md, with suites that exist; each suite is in a row', () => {
    const table = section(read('CONTRIBUTING.md'), 'Tests').matchAll(/^\| `.*$/gm);
    const rows = [...table].map(([row]) =>
      [...row.matchAll(/`([^`]+)`/g)].map(([, it = '']) => it),
    );
    const suites = rows.filter(([folder = '']) => existsSync(join('src', folder)));
    const proved = suites.map(([folder = '']) => join('src', folder));
    const alone = folders.filter((folder) => !folders.some((one) => one.startsWith(`${folder}/`)));
    expect(proved.toSorted()).toEqual(alone.toSorted());
    const names = suites.flatMap(([, ...found]) => found);
    expect(names.filter((name) => !isSuite(name))).toEqual([]);
    const unlisted = TESTS.filter((file) => /^test\/service\/[\w-]+\.e2e/.test(file)).filter(
      (file) => !names.some((name) => file.startsWith(`test/service/${name}`)),
    );
    expect(unlisted).toEqual([]);
  });
});
