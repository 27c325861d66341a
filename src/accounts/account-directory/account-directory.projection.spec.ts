import { describe, expect, it } from '@jest/globals';
import {
  ACCOUNT,
  DEFAULT_WORKSPACE,
  openedAccount,
  OWNER,
  workspaceCreated,
} from '../../../test/histories/accounts.js';
import { timeAt } from '../../../test/specs/metadata-at.js';
import { positionAt, projected } from '../../../test/specs/projected.js';
import { accountDirectory } from './account-directory.projection.js';

/** As the projector does: events of other types never reach a projection. */
const folded = openedAccount().filter(({ type }) => type !== 'MemberAdded');

describe('the account directory', () => {
  it('lists an account, its default workspace and its management key', async () => {
    const documents = await projected(accountDirectory, ...folded);
    expect(documents).toEqual({
      [`accounts/${ACCOUNT}`]: {
        account_id: ACCOUNT,
        kind: 'organization',
        name: 'Acme',
        owner_user_id: OWNER,
        default_workspace_id: DEFAULT_WORKSPACE,
        created_at: timeAt(0),
        created_position: positionAt(1),
      },
      [`workspaces/${DEFAULT_WORKSPACE}`]: {
        account_id: ACCOUNT,
        workspace_id: DEFAULT_WORKSPACE,
        name: 'Default',
        restrictions: [],
        is_default: true,
        created_at: timeAt(1),
        created_position: positionAt(2),
      },
      'management_keys/hash-1': {
        account_id: ACCOUNT,
        account_kind: 'organization',
        hash: 'hash-1',
        user_id: OWNER,
        name: null,
        revoked_at: null,
        created_at: timeAt(2),
        created_position: positionAt(3),
      },
    });
  });

  it('shows the restrictions a workspace has now', async () => {
    const documents = await projected(accountDirectory, ...folded, workspaceCreated('eu', ['a']), {
      type: 'WorkspaceRestricted',
      data: { workspace_id: 'eu', restrictions: ['b'], previous_restrictions: ['a'] },
    });
    expect(documents['workspaces/eu']).toMatchObject({ name: 'eu', restrictions: ['b'] });
  });

  it('shows when a management key was revoked', async () => {
    const documents = await projected(accountDirectory, ...folded, {
      type: 'ManagementKeyRevoked',
      data: { hash: 'hash-1' },
    });
    expect(documents['management_keys/hash-1']).toMatchObject({ revoked_at: timeAt(3) });
  });

  it('passes over facts about what it never saw made', async () => {
    const documents = await projected(
      accountDirectory,
      { type: 'ManagementKeyRevoked', data: { hash: 'nobody' } },
      {
        type: 'WorkspaceRestricted',
        data: { workspace_id: 'nowhere', restrictions: [], previous_restrictions: [] },
      },
      {
        type: 'ManagementKeyCreated',
        data: { account_id: 'nobody', hash: 'h', user_id: 'u', name: null },
      },
    );
    expect(documents).toEqual({});
  });
});
