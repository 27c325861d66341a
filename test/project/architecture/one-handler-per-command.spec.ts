import 'reflect-metadata';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';

const files = readdirSync('src', { recursive: true, encoding: 'utf8' });
const source = (file: string): string => readFileSync(`src/${file}`, 'utf8');

const commands = files
  .filter((file) => file.endsWith('.commands.ts'))
  .flatMap((file) => [...source(file).matchAll(/export class (\w+) extends Command</g)])
  .map((match) => match[1] ?? '');

const handled = files
  .filter((file) => file.endsWith('.commands.ts'))
  .flatMap((file) => [...source(file).matchAll(/@CommandHandler\((\w+)\)/g)])
  .map((match) => match[1] ?? '');

describe('commands', () => {
  it('have one handler each, and no handler is without', () => {
    expect(commands.length).toBeGreaterThan(10);
    expect([...handled].sort()).toEqual([...commands].sort());
  });

  it('have handlers that a module provides', () => {
    const modules = files
      .filter((file) => file.endsWith('.module.ts'))
      .map(source)
      .join('');
    expect(commands.filter((command) => !modules.includes(`${command}Handler`))).toEqual([]);
  });
});
