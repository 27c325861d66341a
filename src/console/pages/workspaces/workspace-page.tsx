import { Link, useParams } from 'wouter-preact';
import { answered, api, type Schemas } from '../../api/client.js';
import { knownNames } from '../../api/names.js';
import { useAnswer } from '../../api/use-answer.js';
import { Page } from '../../frame/page.js';
import { useRights } from '../../frame/who.js';
import { Change } from '../../parts/change.js';
import { Facts } from '../../parts/facts.js';
import { Show } from '../../parts/states.js';
import { Time } from '../../parts/times.js';
import { addressOf } from '../../routing/place.js';
import { BudgetSection } from '../budgets/budget.js';
import { budgetOfWorkspace } from '../budgets/budget-routes.js';
import { type MemberRoutes, MemberSection } from '../team/member-section.js';
import { WorkspaceFields } from './workspaces-page.js';

/** The workspace whose id or slug is in the address. */
export function WorkspacePage() {
  const { workspace = '' } = useParams();
  const { isOrganization } = useRights();
  const params = { path: { workspace } };
  const loaded = useAnswer(workspace, () =>
    answered(api.GET('/v1/workspaces/{workspace}', { params })),
  );
  const now = loaded.answer?.value.data;
  return (
    <Page title={now?.name ?? 'Workspace'} actions={now && <EditWorkspace of={now} />}>
      <Show loaded={loaded}>
        {({ data }) => (
          <>
            <WorkspaceFacts of={data} />
            <p>
              <Link href={addressOf('/keys', { workspace_id: data.id })}>
                Keys of this workspace
              </Link>
            </p>
            <BudgetSection
              routes={budgetOfWorkspace(data.id)}
              none="This workspace has no budget: only the limits of its keys hold."
            />
            {isOrganization && <WorkspaceMembers of={data} />}
          </>
        )}
      </Show>
    </Page>
  );
}

function EditWorkspace({ of: now }: { of: Schemas['Workspace'] }) {
  const params = { path: { workspace: now.id } };
  async function edit(changed: Schemas['UpdateWorkspaceRequest']): Promise<void> {
    if (Object.keys(changed).length === 0) return;
    const body = changed.description === '' ? { ...changed, description: null } : changed;
    const { value } = await answered(api.PATCH('/v1/workspaces/{workspace}', { params, body }));
    knownNames.set(value.data.id, value.data.name);
  }
  return (
    <Change title="Edit" question="Edit the workspace" action="Save" before={now} send={edit}>
      <WorkspaceFields />
    </Change>
  );
}

function WorkspaceFacts({ of: workspace }: { of: Schemas['Workspace'] }) {
  const { restrictions } = workspace;
  const none = <span class="none">none</span>;
  return (
    <Facts
      of={[
        ['Slug', workspace.slug],
        ['Default workspace', workspace.is_default ? 'yes' : 'no'],
        ['Restrictions', restrictions.length > 0 ? <bdi>{restrictions.join(', ')}</bdi> : none],
        ['Description', workspace.description ? <bdi>{workspace.description}</bdi> : none],
        ['Creator', workspace.created_by ? <bdi>{workspace.created_by}</bdi> : none],
        ['Created', <Time at={workspace.created_at} />],
        ['Changed', <Time at={workspace.updated_at} none="never" />],
        ['Id', <code>{workspace.id}</code>],
      ]}
    />
  );
}

function membersOfWorkspace(workspace: string): MemberRoutes {
  const path = { workspace };
  const params = { path };
  const body = (user: string) => ({ user_ids: [user] });
  return {
    read: (query) =>
      answered(api.GET('/v1/workspaces/{workspace}/members', { params: { path, query } })),
    add: (user) =>
      answered(api.POST('/v1/workspaces/{workspace}/members/add', { params, body: body(user) })),
    remove: (user) =>
      answered(api.POST('/v1/workspaces/{workspace}/members/remove', { params, body: body(user) })),
  };
}

/** The members of a workspace. Those of the default workspace are those of the account. */
function WorkspaceMembers({ of: workspace }: { of: Schemas['Workspace'] }) {
  return (
    <MemberSection
      routes={membersOfWorkspace(workspace.id)}
      of="the workspace"
      isFixed={workspace.is_default}
      hint="A member of the organization"
      effect="Keys of this user that are in the workspace stay there. No others can move to it."
    />
  );
}
