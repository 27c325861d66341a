import { goOnAsOwnerOf } from '../../command-line/operator.js';
import { printable } from '../../command-line/printable.js';
import type { Program } from '../../command-line/program.js';
import type { Finding } from './finding.js';
import type { Folded } from './read-models-look.js';

interface Diagnosis extends Record<string, unknown> {
  readonly data: readonly Finding[];
}

const STATE_WIDTH = 4;
const PART_WIDTH = 12;

/** Adds `keyledger doctor`. @param folded imports the events and projections of the service, which takes time. */
export function addDoctorCommand(program: Program, folded: () => Promise<Folded>): void {
  program.alone<object, Diagnosis>(
    program.root,
    'doctor',
    'Look at settings, disk, log, read models and servers, and say what to do. Changes nothing.',
    [],
    async () => {
      const { diagnosed } = await import('./doctor.js');
      const { environmentOfProcess } = await import('../../settings/settings.js');
      const data = await diagnosed(environmentOfProcess(), await folded(), goOnAsOwnerOf);
      return { data };
    },
    {
      people: ({ data }) => data.map(lineOf).join(''),
      failed: ({ data }) => data.some(({ state }) => state === 'fail'),
    },
  );
}

function lineOf({ part, state, found, todo }: Finding): string {
  const indent = ' '.repeat(STATE_WIDTH + PART_WIDTH + 4);
  const cure = todo === null ? '' : `${indent}→ ${printable(todo)}\n`;
  return `${state.padEnd(STATE_WIDTH)}  ${part.padEnd(PART_WIDTH)}  ${printable(found)}\n${cure}`;
}
