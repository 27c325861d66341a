import { lookup } from 'node:dns/promises';
import { messageOf } from '../../kernel/errors.js';
import { type Settings, SettingsError } from './settings.js';

/**
 * Checks that the hosts to listen on resolve. Start-up calls this function before it creates any file.
 * @throws SettingsError that names the setting whose host does not resolve.
 */
export async function requireResolvableHosts({ host, operations }: Settings): Promise<void> {
  await requireResolvable('HOST', host);
  if (operations) await requireResolvable('OPERATIONS_HOST', operations.host);
}

async function requireResolvable(name: string, host: string): Promise<void> {
  try {
    await lookup(host);
  } catch (error) {
    const got = JSON.stringify(host);
    throw new SettingsError([`${name}: got ${got}, which does not resolve: ${messageOf(error)}`]);
  }
}
