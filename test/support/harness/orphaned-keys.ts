import { account } from '../../../src/features/accounts/domain/account.js';
import { deleteWorkspace } from '../../../src/features/accounts/domain/workspace.decisions.js';
import { DecisionRunner } from '../../../src/event-sourcing/decisions/decision-runner.js';
import { type CreatedKey, createKey } from './api-keys.js';
import { OPERATOR, type RunningApp, type TestAccount } from './running-app.js';
import { makeWorkspace } from './workspaces.js';
import { MANAGEMENT } from '../../../src/event-sourcing/ledger.js';

/** A key whose workspace was deleted, as if the key had come after its keys were counted. */
export async function createOrphanedKey(
  service: RunningApp,
  { accountId, userId, client }: TestAccount,
  restrictions: readonly string[] = [],
): Promise<CreatedKey> {
  const owner = { accountId, userId };
  const workspace_id = await makeWorkspace(service, owner, { restrictions });
  const created = await createKey(client, { workspace_id });
  await service.app.get<DecisionRunner>(MANAGEMENT.runner).run({
    aggregate: account,
    id: accountId,
    accountId,
    origin: OPERATOR,
    decide: (state) => deleteWorkspace(state, workspace_id),
  });
  return created;
}
