import 'reflect-metadata';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';

const files = readdirSync('src', { recursive: true, encoding: 'utf8' });
const source = (file: string): string => readFileSync(`src/${file}`, 'utf8');

const messages = files
  .filter((file) => /\.(command|query)\.ts$/.test(file))
  .flatMap((file) => [...source(file).matchAll(/export class (\w+) extends (?:Command|Query)</g)])
  .map((match) => match[1] ?? '');

const handled = files
  .filter((file) => /\.(command|query|handler)\.ts$/.test(file))
  .flatMap((file) => [...source(file).matchAll(/@(?:Command|Query)Handler\((\w+)\)/g)])
  .map((match) => match[1] ?? '');

describe('commands and queries', () => {
  it('have one handler each, and no handler is without', () => {
    expect(messages.length).toBeGreaterThan(10);
    expect([...handled].sort()).toEqual([...messages].sort());
  });

  it('have handlers that a module provides', () => {
    const modules = files
      .filter((file) => file.endsWith('.module.ts'))
      .map(source)
      .join('');
    expect(messages.filter((message) => !modules.includes(`${message}Handler`))).toEqual([]);
  });
});
