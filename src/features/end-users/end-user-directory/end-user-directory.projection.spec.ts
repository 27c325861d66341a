import { describe, expect, it } from '@jest/globals';
import { timeAt } from '../../../../test/support/specs/metadata-at.js';
import { projected } from '../../../../test/support/specs/projected.js';
import type { RegistrationEvent } from '../domain/end-user.events.js';
import { endUserDirectory } from './end-user-directory.projection.js';

const happened =
  (type: RegistrationEvent['type']) =>
  (organization_id: string, user: string): RegistrationEvent => ({
    type,
    data: { organization_id, user },
  });
const registered = happened('EndUserRegistered');
const deactivated = happened('EndUserDeactivated');
const reactivated = happened('EndUserReactivated');

describe('the end-user directory', () => {
  it('numbers the end users of each organization densely, in order of registration', async () => {
    const documents = await projected(
      endUserDirectory,
      registered('org-1', 'b'),
      registered('org-2', 'b'),
      registered('org-1', 'a'),
    );
    expect(documents).toMatchObject({
      'end_users/org-1/b': { user: 'b', ordinal: 0 },
      'end_users/org-2/b': { user: 'b', ordinal: 0 },
      'end_users/org-1/a': { user: 'a', ordinal: 1 },
      'organizations/org-1': { registered: 2 },
      'organizations/org-2': { registered: 1 },
    });
  });

  it('has everything that a record shows', async () => {
    const documents = await projected(endUserDirectory, registered('org-1', 'ada'));
    expect(documents['end_users/org-1/ada']).toEqual({
      organization_id: 'org-1',
      user: 'ada',
      is_active: true,
      created_at: timeAt(0),
      updated_at: timeAt(0),
      ordinal: 0,
    });
  });

  it('counts those who are active again no longer', async () => {
    const documents = await projected(
      endUserDirectory,
      registered('org-1', 'a'),
      deactivated('org-1', 'a'),
      reactivated('org-1', 'a'),
    );
    expect(documents).toMatchObject({
      'end_users/org-1/a': { ordinal: 0, is_active: true, updated_at: timeAt(2) },
      'organizations/org-1': { registered: 1, inactive: [0] },
    });
  });
});
