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
  'SECURITY.md',
  ...filesUnder('docs', /\.md$/),
  ...filesUnder('src', /\.md$/),
];

/** Gives each match of a pattern's first group in some files, with its file. */
function mentions(files: readonly string[], pattern: RegExp): { file: string; what: string }[] {
  return files.flatMap((file) =>
    [...read(file).matchAll(pattern)].map(([, what = '']) => ({ file, what })),
  );
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
    const numbers = readdirSync('docs/adr').map((file) => String(Number(file.slice(0, 4))));
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

describe('a folder of src', () => {
  const foldersIn = (folder: string): string[] =>
    readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => `${folder}/${name}`);
  const folders = foldersIn('src').flatMap((group) => [group, ...foldersIn(group)]);

  it('has a README that says what lives there', () => {
    expect(folders.filter((folder) => !existsSync(`${folder}/README.md`))).toEqual([]);
  });

  it('has a row in docs/architecture.md', () => {
    const listed = tableRows(section(read('docs/architecture.md'), 'Rooms'));
    const named = listed.map(([room = '']) => /\]\(\.\.\/([\w/-]+)\)/.exec(room)?.[1] ?? '');
    expect(named.toSorted()).toEqual(folders.toSorted());
  });
});
