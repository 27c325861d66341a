import { describe, expect, it } from '@jest/globals';
import { timeAt } from '../../../test/specs/metadata-at.js';
import { projected } from '../../../test/specs/projected.js';
import type { EndUserEvent } from '../domain/end-user.events.js';
import { endUserDirectory } from './end-user-directory.projection.js';

const registered = (organization_id: string, user: string): EndUserEvent => ({
  type: 'EndUserRegistered',
  data: { organization_id, user },
});

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
});
