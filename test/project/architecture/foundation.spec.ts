import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';

const PACKAGE = JSON.parse(readFileSync('package.json', 'utf8')) as {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
};

const sources = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter(
  (file) => file.endsWith('.ts') && !file.endsWith('.spec.ts'),
);
const sourcesNamed = (suffix: string): string[] =>
  sources
    .filter((file) => file.endsWith(suffix))
    .map((file) => readFileSync(`src/${file}`, 'utf8'));

describe('the project', () => {
  it.each([
    'package.json',
    'tsconfig.json',
    'nest-cli.json',
    'src',
    'test',
    'docker-compose.yml',
    'README.md',
  ])('has %s at the top level', (path) => {
    expect(existsSync(path)).toBe(true);
  });

  it.each([
    '@nestjs/core',
    '@nestjs/cqrs',
    '@nestjs/platform-express',
    'class-validator',
    'class-transformer',
    '@eventstore/db-client',
    'mongodb',
  ])('runs on %s', (name) => {
    expect(PACKAGE.dependencies).toHaveProperty([name]);
    expect(sources.some((file) => imports(file, name))).toBe(true);
  });

  it('is tested with jest', () => {
    expect(PACKAGE.devDependencies).toHaveProperty('jest');
  });

  it.each(['CreateKey', 'UpdateKey', 'RegisterEndUser'])(
    'has a command %s that a controller dispatches over the command bus',
    (name) => {
      const declares = new RegExp(`export class ${name} extends Command<`);
      expect(sourcesNamed('.commands.ts').filter((text) => declares.test(text))).toHaveLength(1);
      const dispatches = new RegExp(
        `commands\\.execute\\(new ${name}\\(|command = new ${name}\\([^;]*;[^]*commands\\.execute\\(command\\)`,
      );
      const controllers = sourcesNamed('.controller.ts').filter((text) => dispatches.test(text));
      expect(controllers).toHaveLength(1);
      expect(controllers[0]).toContain('commands: CommandBus');
    },
  );
});

function imports(file: string, name: string): boolean {
  return readFileSync(`src/${file}`, 'utf8').includes(`from '${name}'`);
}
