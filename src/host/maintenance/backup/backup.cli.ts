import { forPeople, table } from '../../../edge/command-line/for-people.js';
import type { Program } from '../../../edge/command-line/program.js';
import type { BackedUp } from './backup.js';

/** Adds `keyledger backup`. @param ownDataDir prepares and returns the data directory. */
export function addBackupCommand(program: Program, ownDataDir: () => Promise<string>): void {
  program.alone(program.root, {
    name: 'backup',
    description:
      'Copy the embedded event log into a new directory, and check the copy. The service need not stop.',
    argument: ['<directory>', 'new directory, which can be a DATA_DIR'],
    async action(_, directory = ''): Promise<BackedUp> {
      const dataDir = await ownDataDir();
      const { backUp } = await import('./backup.js');
      return backUp(dataDir, directory);
    },
    people: ({ logs, ...rest }) => forPeople(rest) + table(logs),
  });
}
