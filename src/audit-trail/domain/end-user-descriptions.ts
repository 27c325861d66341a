import type { EndUserEvent } from '../../end-users/domain/end-user.events.js';
import { changed, type Descriptions, set } from './description.js';

const target = ({ user }: { readonly user: string }): string => user;

export const endUserDescriptions: Descriptions<EndUserEvent> = {
  EndUserRegistered: {
    action: 'end-user.registered',
    target,
    changes: ({ data: { user } }) => set({ user }),
  },
  EndUserDeactivated: {
    action: 'end-user.deactivated',
    target,
    changes: () => changed('is_active', true, false),
  },
  EndUserReactivated: {
    action: 'end-user.reactivated',
    target,
    changes: () => changed('is_active', false, true),
  },
};
