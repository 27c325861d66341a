import { readFileSync } from 'node:fs';

/** A fenced block of a document, such as a command or an answer. */
export interface Block {
  readonly language: string;
  readonly text: string;
}

export function read(path: string): string {
  return readFileSync(path, 'utf8');
}

/** Gives the fenced blocks of a document in order. */
export function blocksOf(markdown: string): Block[] {
  const found = markdown.matchAll(/^```(\w+)\n([^]*?)^```$/gm);
  return [...found].map(([, language = '', text = '']) => ({ language, text }));
}

/** Gives the text under a heading, up to the next heading of the same or a higher level. */
export function section(markdown: string, title: string): string {
  const lines = markdown.split('\n');
  const start = lines.findIndex((line) => /^#+ /.test(line) && line.replace(/^#+ /, '') === title);
  if (start < 0) throw new Error(`there is no section ${title}`);
  const level = lines[start]?.indexOf(' ') ?? 0;
  const rest = lines.slice(start + 1);
  const end = rest.findIndex((line) => new RegExp(`^#{1,${level}} `).test(line));
  return rest.slice(0, end < 0 ? undefined : end).join('\n');
}

/**
 * Gives the rows of the first table in a text, without its head: the text of each cell, without
 * code marks.
 */
export function tableRows(markdown: string): string[][] {
  const lines = markdown.split('\n');
  const head = lines.findIndex((line) => line.startsWith('|'));
  const body = lines.slice(head + 2);
  const end = body.findIndex((line) => !line.startsWith('|'));
  return body.slice(0, end < 0 ? undefined : end).map(cellsOf);
}

function cellsOf(row: string): string[] {
  return row
    .slice(1, row.lastIndexOf('|'))
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll('\\|', '|').replaceAll('`', ''));
}
