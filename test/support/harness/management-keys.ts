import { CommandBus } from '@nestjs/cqrs';
import { CreateManagementKey } from '../../../src/features/accounts/management-keys.commands.js';
import { hashKeyString, mintKeyString } from '../../../src/kernel/key-string.js';
import type { Role } from '../../../src/kernel/role.js';
import type { CreatedKey } from './api-keys.js';
import type { HttpClient } from './http-client.js';
import { OPERATOR, type RunningApp, type TestAccount } from './running-app.js';

/** Makes a management key of an account, as the operator, and gives its string. */
export async function makeManagementKey(
  { app }: RunningApp,
  { accountId, userId }: TestAccount,
  role: Role,
  expires_at: string | null = null,
): Promise<string> {
  const key = mintKeyString('mk-v1-');
  const wanted = { hash: hashKeyString(key), user_id: userId, name: role, role, expires_at };
  await app.get(CommandBus).execute(new CreateManagementKey(accountId, wanted, OPERATOR));
  return key;
}

/** Creates a management key that a gateway needs, over HTTP, and gives its string. */
export async function createGatewayKey(client: HttpClient): Promise<string> {
  const wanted = { name: 'gateway', role: 'gateway' };
  const { status, text, body } = await client.post<CreatedKey>('/v1/management-keys', wanted);
  if (status === 201) return body.key;
  throw new Error(`the creation was answered ${status}: ${text}`);
}
