import { answered, api, type Schemas } from '../../api/client.js';
import { Page } from '../../frame/page.js';
import { Change } from '../../parts/change.js';
import { LinesField, TextField } from '../../parts/fields.js';
import { Name } from '../../parts/names.js';
import { type Column, List } from '../../parts/table.js';
import { Time } from '../../parts/times.js';
import { go } from '../../routing/place.js';

const COLUMNS: readonly Column<Schemas['Workspace']>[] = [
  { title: 'Name', cell: ({ id, name }) => <Name of={name} href={`/workspaces/${id}`} /> },
  { title: 'Slug', cell: ({ slug }) => <Name of={slug} /> },
  { title: 'Restrictions', cell: ({ restrictions }) => <Name of={restrictions.join(', ')} /> },
  { title: 'Created', isNumber: true, cell: ({ created_at: at }) => <Time at={at} /> },
];

/** The workspaces of the account, page by page. */
export function WorkspacesPage() {
  return (
    <Page title="Workspaces" actions={<CreateWorkspace />}>
      <List
        what="workspaces"
        read={(query) => answered(api.GET('/v1/workspaces', { params: { query } }))}
        columns={COLUMNS}
        idOf={({ id }) => id}
        empty="There is no workspace."
      />
    </Page>
  );
}

function CreateWorkspace() {
  return (
    <Change
      title="Create a workspace"
      kind="main"
      action="Create"
      send={async ({ name = '', ...others }: Schemas['UpdateWorkspaceRequest']) => {
        const { value } = await answered(api.POST('/v1/workspaces', { body: { ...others, name } }));
        go(`/workspaces/${value.data.id}`);
      }}
    >
      <WorkspaceFields />
    </Change>
  );
}

/** The fields of a workspace that somebody creates or changes. */
export function WorkspaceFields() {
  return (
    <>
      <TextField label="Name" name="name" />
      <TextField label="Slug" name="slug" hint="In paths; empty: made from the name" />
      <TextField label="Description" name="description" />
      <LinesField
        label="Restrictions"
        name="restrictions"
        hint="One a line. A key moves only to a workspace that has all those of its own."
      />
    </>
  );
}
