import { readableResult, readableTable } from '../../../edge/command-line/readable-result.js';
import type { Program } from '../../../edge/command-line/program.js';
import type { BackedUp } from './backup.js';

/** Adds `keyledger backup`. @param prepareForBackup prepares and returns the data directory. */
export function addBackupCommand(program: Program, prepareForBackup: () => Promise<string>): void {
  program.standalone(program.root, {
    name: 'backup',
    description:
      'Copy the embedded event logs into a new directory, and check the copy. The service can keep running.',
    argument: ['<directory>', 'directory to create; the service can use it as DATA_DIR'],
    async action(_, directory = ''): Promise<BackedUp> {
      const dataDir = await prepareForBackup();
      const { backUp } = await import('./backup.js');
      return backUp(dataDir, directory);
    },
    readable: ({ logs, ...rest }) => readableResult(rest) + readableTable(logs),
  });
}
