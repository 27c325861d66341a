import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect } from '@jest/globals';
import { itOnSimulator } from '../../../test/backends/it-on-simulator.js';

const LOADER = './test/backends/eventstoredb-simulator/typescript.mjs';

describe('a connection to a cluster', () => {
  itOnSimulator(
    'that is lost while its leader is looked for fails calls, not the process',
    async () => {
      const program = ['--import', LOADER, 'test/backends/lose-cluster.ts'];
      const { stdout } = await promisify(execFile)(process.execPath, program);
      expect(stdout).toBe('6 failed');
    },
  );
});
