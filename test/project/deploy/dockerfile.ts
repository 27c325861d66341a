import { readFileSync } from 'node:fs';

export interface Instruction {
  readonly name: string;
  readonly text: string;
}

/**
 * Parses the instructions of a Dockerfile by stage. Instructions before the first FROM are stage 0.
 */
export function readStages(path = 'Dockerfile'): Instruction[][] {
  const stages: Instruction[][] = [[]];
  for (const line of logicalLines(readFileSync(path, 'utf8'))) {
    const [, name = '', text = ''] = /^(\w+)\s+(.*)$/s.exec(line) ?? [];
    if (name === 'FROM') stages.push([]);
    stages.at(-1)?.push({ name, text });
  }
  return stages;
}

/** Gives the arguments of all instructions of a name in a stage. */
export function textsOf(stage: readonly Instruction[] | undefined, name: string): string[] {
  return (stage ?? []).filter((instruction) => instruction.name === name).map(({ text }) => text);
}

/** Gives the variables that a stage sets for the program. */
export function environmentOf(stage: readonly Instruction[] | undefined): Record<string, string> {
  const pairs = textsOf(stage, 'ENV').flatMap((text) => [...text.matchAll(/(\w+)=(\S+)/g)]);
  return Object.fromEntries(pairs.map(([, name = '', value = '']) => [name, value]));
}

/**
 * Gives the command of an instruction in exec form, which runs without a shell. @throws when it has
 * another form.
 */
export function execForm(text = ''): string[] {
  const command: unknown = JSON.parse(text);
  if (Array.isArray(command) && command.every((part) => typeof part === 'string')) return command;
  throw new Error(`not in exec form: ${text}`);
}

function logicalLines(file: string): string[] {
  const lines = file.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('#'));
  return lines.join('\n').replace(/\\\n/g, ' ').split('\n');
}
