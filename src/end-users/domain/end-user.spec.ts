import { describe, expect, it } from '@jest/globals';
import { given } from '../../../test/specs/given.js';
import { timeAt } from '../../../test/specs/metadata-at.js';
import { endUser, registerEndUser } from './end-user.js';
import type { EndUserEvent } from './end-user.events.js';

const wanted = { organizationId: 'org', user: 'Alice' };
const registered: EndUserEvent = {
  type: 'EndUserRegistered',
  data: { organization_id: 'org', user: 'Alice' },
};

describe('registering an end user', () => {
  it('happens once', () => {
    given(endUser)
      .when((state) => registerEndUser(state, wanted))
      .then(registered);
    given(endUser, registered)
      .when((state) => registerEndUser(state, wanted))
      .thenRefused('end-user-already-registered');
  });

  it('leaves an active end user who was updated when registered', () => {
    expect(given(endUser, registered).state).toEqual({
      organization_id: 'org',
      user: 'Alice',
      is_active: true,
      created_at: timeAt(0),
      updated_at: timeAt(0),
    });
  });
});
