import { answered, api } from '../../api/client.js';
import type { components } from '../../api/openapi.js';
import { useAnswer } from '../../api/use-answer.js';
import { Page } from '../../frame/page.js';
import { Control } from '../../parts/control.js';
import { List } from '../../parts/list.js';
import { Name } from '../../parts/name.js';
import { type Column, offsetOf, PAGE_SIZE } from '../../parts/table.js';
import { Time } from '../../parts/times.js';
import { addressOf, go, usePlace } from '../../routing/place.js';
import { WorkspaceDialog, type WorkspaceFields } from './workspace-dialog.js';

const COLUMNS: readonly Column<components['schemas']['Workspace']>[] = [
  { title: 'Name', cell: ({ id, name }) => <Name of={name} href={`/workspaces/${id}`} /> },
  { title: 'Slug', cell: ({ slug }) => <Name of={slug} /> },
  { title: 'Restrictions', cell: ({ restrictions }) => <Name of={restrictions.join(', ')} /> },
  { title: 'Created', isNumber: true, cell: ({ created_at: at }) => <Time at={at} /> },
];

/** The workspaces of the account, page by page. */
export function WorkspacesPage() {
  const { path, filters } = usePlace();
  const query = { offset: offsetOf(filters), limit: PAGE_SIZE };
  const loaded = useAnswer(addressOf(path, filters), (signal) =>
    answered(api.GET('/v1/workspaces', { params: { query }, signal })),
  );
  const create = async ({ name = '', ...others }: WorkspaceFields): Promise<void> => {
    const { value } = await answered(api.POST('/v1/workspaces', { body: { ...others, name } }));
    go(`/workspaces/${value.data.id}`);
  };
  return (
    <Page
      title="Workspaces"
      actions={
        <Control title="Create a workspace" kind="main">
          {(close) => <WorkspaceDialog title="Create a workspace" send={create} onClose={close} />}
        </Control>
      }
    >
      <List
        what="workspaces"
        loaded={loaded}
        columns={COLUMNS}
        idOf={({ id }) => id}
        empty="There is no workspace."
      />
    </Page>
  );
}
