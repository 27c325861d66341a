import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { mintKeyString } from '../../../src/kernel/key-string.js';
import { keyledger } from '../../support/harness/command-line.js';
import { eventually } from '../../support/harness/eventually.js';
import { type ServiceProcess, startService } from '../../support/harness/service-process.js';
import { makeTempDirectory } from '../../support/harness/temp-directory.js';

/** How long a start may take on a slow machine, with all events that a test has written. */
const READY_WITHIN_MS = 60_000;
/** The heap limit of an attacked service, in megabytes. */
const SMALL_HEAP_MB = 256;

/** Puts the service on one core and the load on another. */
export const ON_THE_FIRST_CORE = availableParallelism() > 1 ? ['taskset', '-c', '0'] : [];

/** Gives the memory that a service holds after a garbage collection, in bytes. */
export interface Memory {
  readonly heapUsed: number;
  readonly external: number;
  readonly rss: number;
}

/** The built service with a small heap, a tenant that attacks, and a tenant that is the victim. */
export interface AttackedService extends ServiceProcess {
  readonly attacker: { readonly address: string; readonly key: string };
  readonly attackerAccount: CreatedAccount;
  readonly victimAccount: CreatedAccount;
  readonly victim: { readonly address: string; readonly key: string };
  readonly dataDir: string;
  memory(): Promise<Memory>;
  /** Kills the service and starts it again on the same data with the same settings. */
  restart(): Promise<AttackedService>;
  /** Stops the service and removes its data. */
  end(): Promise<void>;
}

export interface CreatedAccount {
  readonly account_id: string;
  readonly default_workspace_id: string;
  readonly management_key: string;
}

/**
 * @param settings environment variables in addition to those of the harness.
 * @param through a command that runs another command, such as `taskset` with its options.
 */
export async function startAttacked(
  settings: Readonly<Record<string, string>> = {},
  through: readonly string[] = [],
): Promise<AttackedService> {
  const directory = makeTempDirectory();
  const dataDir = join(directory.path, 'data');
  const environment = {
    DATA_DIR: dataDir,
    BOOTSTRAP_MANAGEMENT_KEY: mintKeyString('mk-v1-'),
    LOG_LEVEL: 'warn',
    ...settings,
  };
  const accounts: CreatedAccount[] = [];
  const start = async (): Promise<AttackedService> => {
    const withHeap = { ...environment, NODE_OPTIONS: nodeOptions() };
    const service = await startService(withHeap, through, READY_WITHIN_MS);
    // The attacker is not the first account, because the first start reads the state of that
    // account.
    while (accounts.length < 2) accounts.push(await createAccount(environment));
    const [attacker, victim] = accounts as [CreatedAccount, CreatedAccount];
    const { address } = service;
    const attacked: AttackedService = {
      ...service,
      attacker: { address, key: attacker.management_key },
      attackerAccount: attacker,
      victimAccount: victim,
      victim: { address, key: victim.management_key },
      dataDir,
      memory: () => memoryOf(service),
      async restart() {
        await service.stop('SIGKILL');
        return start();
      },
      async end() {
        await service.stop();
        directory.remove();
      },
    };
    return attacked;
  };
  return start();
}

function nodeOptions(): string {
  const measure = new URL('./memory-on-signal.mjs', import.meta.url).href;
  return `--max-old-space-size=${SMALL_HEAP_MB} --import=${measure}`;
}

export async function createAccount(
  environment: Readonly<Record<string, string>>,
): Promise<CreatedAccount> {
  const args = ['accounts', 'create', '--name', 'Tenant', '--owner', 'owner', '--json'];
  const { stdout } = await keyledger(environment, ...args);
  return JSON.parse(stdout) as CreatedAccount;
}

async function memoryOf({ child, lines }: ServiceProcess): Promise<Memory> {
  const told = (): string[] => lines().filter((line) => line.startsWith('{"memory"'));
  const before = told().length;
  child.kill('SIGUSR2');
  const line = await eventually('the memory of the service', () => told().slice(before)[0]);
  return (JSON.parse(line) as { memory: Memory }).memory;
}
