import { answered, api } from '../../api/client.js';
import { Page } from '../../frame/page.js';
import { ManagementKeys } from './management-keys.js';
import { type MemberRoutes, MemberSection } from './member-section.js';

const MEMBERS: MemberRoutes = {
  read: (query) => answered(api.GET('/v1/members', { params: { query } })),
  add: (user_id) => answered(api.PUT('/v1/members/{user_id}', { params: { path: { user_id } } })),
  remove: (user_id) =>
    answered(api.DELETE('/v1/members/{user_id}', { params: { path: { user_id } } })),
};

/** The members of the organization, and the keys with which they manage it. */
export function TeamPage() {
  return (
    <Page title="Team">
      <MemberSection
        routes={MEMBERS}
        of="the organization"
        hint="The id by which you know this user"
        effect="The management keys of this user are revoked, and the memberships of workspaces end. API keys that the user created stay."
      />
      <ManagementKeys />
    </Page>
  );
}
