import { describe, expect, it } from '@jest/globals';
import { blocksOf, read, section, tableRows } from './markdown.js';

const architecture = read('docs/architecture.md');

/** A part of a diff: the lines that a file has before the change, one after another. */
interface Hunk {
  readonly file: string;
  readonly before: string;
}

function hunksOf(diff: string): Hunk[] {
  return diff
    .split(/^--- /m)
    .slice(1)
    .flatMap((part) => {
      const [file = '', ...lines] = part.trimEnd().split('\n');
      return lines
        .join('\n')
        .split(/^@@$\n/m)
        .map((hunk) => ({ file, before: linesBefore(hunk) }));
    });
}

function linesBefore(hunk: string): string {
  return hunk
    .trimEnd()
    .split('\n')
    .filter((line) => !line.startsWith('+'))
    .map((line) => line.slice(1))
    .join('\n');
}

describe('docs/architecture.md', () => {
  const rows = tableRows(section(architecture, 'What to open'));

  it('has a table of what to open for a change', () => {
    expect(rows.length).toBeGreaterThanOrEqual(25);
  });

  it.each(rows)('names for a change of "%s" a file that holds what it says', (_, file, word) => {
    expect(read(file)).toContain(word);
  });

  const memory = tableRows(section(architecture, 'Where the memory goes'));

  it.each(memory)('bounds %s as the code does', (_, _mebibytes, file, bound) => {
    expect(read(file)).toContain(bound);
  });

  it('sums up the bounds of memory', () => {
    const sum = memory.reduce((all, [, mebibytes]) => all + Number(mebibytes), 0);
    expect(memory.length).toBeGreaterThanOrEqual(10);
    expect(architecture).toContain(`Together they are ${sum} MiB`);
  });

  it('shows a change as a diff of the code as it is', () => {
    const [diff] = blocksOf(section(architecture, 'A change, worked out')).filter(
      ({ language }) => language === 'diff',
    );
    const hunks = hunksOf(diff?.text ?? '');
    expect(hunks.length).toBeGreaterThanOrEqual(6);
    expect(hunks.filter(({ file, before }) => !read(file).includes(before))).toEqual([]);
  });
});
