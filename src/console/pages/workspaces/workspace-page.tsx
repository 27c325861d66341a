import { Link, useParams } from 'wouter-preact';
import { answered, api } from '../../api/client.js';
import type { components } from '../../api/openapi.js';
import { useAnswer } from '../../api/use-answer.js';
import { Page } from '../../frame/page.js';
import { useRights } from '../../frame/who.js';
import { Control } from '../../parts/control.js';
import { Facts } from '../../parts/facts.js';
import { Show } from '../../parts/states.js';
import { Time } from '../../parts/times.js';
import { workspaceNames } from '../../parts/workspace.js';
import { addressOf } from '../../routing/place.js';
import { budgetOfWorkspace } from '../budgets/budget-routes.js';
import { BudgetSection } from '../budgets/budget.js';
import { WorkspaceDialog, type WorkspaceFields } from './workspace-dialog.js';
import { WorkspaceMembers } from './workspace-members.js';

/** The workspace whose id or slug is in the address. */
export function WorkspacePage() {
  const { workspace = '' } = useParams();
  return <OneWorkspace key={workspace} of={workspace} />;
}

function OneWorkspace({ of: workspace }: { of: string }) {
  const { isOrganization } = useRights();
  const params = { path: { workspace } };
  const loaded = useAnswer(workspace, (signal) =>
    answered(api.GET('/v1/workspaces/{workspace}', { params, signal })),
  );
  const now = loaded.answer?.value.data;
  const change = async (body: WorkspaceFields): Promise<void> => {
    const { value } = await answered(api.PATCH('/v1/workspaces/{workspace}', { params, body }));
    workspaceNames.known.set(value.data.id, value.data.name);
    loaded.reload();
  };
  return (
    <Page
      title={now?.name ?? 'Workspace'}
      actions={
        now && (
          <Control title="Edit">
            {(close) => (
              <WorkspaceDialog title="Edit the workspace" now={now} send={change} onClose={close} />
            )}
          </Control>
        )
      }
    >
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

function WorkspaceFacts({ of: workspace }: { of: components['schemas']['Workspace'] }) {
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
