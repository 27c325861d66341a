import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import type { Command } from 'commander';
import ts from 'typescript';
import { Program } from '../../../src/edge/command-line/program.js';
import { addCommands } from '../../../src/host/assembly/commands.js';
import { DOCUMENTS } from './commands.js';
import { read } from './markdown.js';
import { proseOf, unplainWords } from './words.js';

/** Files that are read like documents, beside the Markdown. */
const TEXTS = [
  ...['Dockerfile', 'docker-compose.yml', 'docs/api.http', 'docs/openapi.yaml'],
  ...filesIn('deploy').filter((file) => !file.endsWith('.md')),
];

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
}

/** Returns each place of a text that should be said in other words, as `file:line`. */
function placesIn(file: string, text: string, firstLine = 1): string[] {
  return unplainWords(text).map(
    ({ line, word, instead }) => `${file}:${line + firstLine - 1}: "${word}", say: ${instead}`,
  );
}

/** Returns each text of several words in a source file, such as a message, with its line. */
function textsIn(file: string): { text: string; line: number }[] {
  const source = ts.createSourceFile(file, read(file), ts.ScriptTarget.Latest, true);
  const texts: { text: string; line: number }[] = [];
  const visit = (node: ts.Node): void => {
    const text = textOf(node);
    if (text !== undefined && /[a-z]\S* \S*[a-z]/i.test(text)) {
      const { line } = source.getLineAndCharacterOfPosition(node.getStart());
      texts.push({ text, line: line + 1 });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return texts;
}

function textOf(node: ts.Node): string | undefined {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (!ts.isTemplateExpression(node)) return undefined;
  return [node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)].join('…');
}

/** Returns the help of a command and of all commands below it, each by its name. */
function helpsOf(command: Command, above = ''): [name: string, help: string][] {
  const name = `${above} ${command.name()}`.trim();
  const below = command.commands.flatMap((one) => helpsOf(one, name));
  return [[name, command.helpInformation()], ...below];
}

describe('plain words', () => {
  it.each([...DOCUMENTS, ...TEXTS])('are used in %s', (file) => {
    expect(placesIn(file, proseOf(read(file)))).toEqual([]);
  });

  it('are used in the help of each command', () => {
    const never = () => Promise.reject(new Error('no command runs'));
    const program = new Program(never, never);
    addCommands(program, never);
    const helps = helpsOf(program.root);
    expect(helps.length).toBeGreaterThan(20);
    expect(helps.flatMap(([name, help]) => placesIn(`${name} --help`, help))).toEqual([]);
  });

  it('are used in log lines, errors and all other texts of the source', () => {
    const files = filesIn('src').filter((file) => /(?<!\.spec)\.ts$/.test(file));
    const texts = files.flatMap((file) => textsIn(file).map((one) => ({ file, ...one })));
    expect(texts.length).toBeGreaterThan(500);
    expect(texts.flatMap(({ file, text, line }) => placesIn(file, text, line))).toEqual([]);
  });

  it('are used in the names and labels of metrics', () => {
    // `served.e2e.spec.ts` holds this document to what the service exposes.
    const lines = read('docs/metrics.md').split('\n');
    const named = lines.map((line) => (line.match(/`\w+`/g) ?? []).join(' ').replaceAll('_', ' '));
    expect(named.join()).toContain('keyledger ready');
    expect(named.flatMap((names, at) => placesIn('docs/metrics.md', names, at + 1))).toEqual([]);
  });

  it('are missed by line and word in prose, and not in code', () => {
    const document = [
      'The `fold` of the *read',
      'side* [ends](parked.md) at the',
      '',
      '```sh',
      'head -n 1',
      '```',
      'HEAD. `Keyledger-Stale` is stale.',
    ];
    const found = unplainWords(proseOf(document.join('\n')));
    expect(found.map(({ line, word }) => [line, word])).toEqual([
      [1, 'read side'],
      [7, 'HEAD'],
      [7, 'stale'],
    ]);
  });
});
