import { answered, api } from '../../api/client.js';
import type { components } from '../../api/openapi.js';
import { type MemberRoutes, MemberSection } from '../team/member-section.js';

function membersOfWorkspace(workspace: string): MemberRoutes {
  const path = { workspace };
  const params = { path };
  return {
    read: (query, signal) =>
      answered(api.GET('/v1/workspaces/{workspace}/members', { params: { path, query }, signal })),
    add: (user) =>
      answered(
        api.POST('/v1/workspaces/{workspace}/members/add', { params, body: { user_ids: [user] } }),
      ),
    remove: (user) =>
      answered(
        api.POST('/v1/workspaces/{workspace}/members/remove', {
          params,
          body: { user_ids: [user] },
        }),
      ),
  };
}

/** The members of a workspace. Those of the default workspace are those of the account. */
export function WorkspaceMembers({
  of: { id, is_default: isDefault },
}: {
  of: components['schemas']['Workspace'];
}) {
  return (
    <MemberSection
      routes={membersOfWorkspace(id)}
      of="the workspace"
      isFixed={isDefault}
      hint="A member of the organization"
      effect="Keys of this user that are in the workspace stay there. No others can move to it."
    />
  );
}
