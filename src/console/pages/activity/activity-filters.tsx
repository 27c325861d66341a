import { useState } from 'preact/hooks';
import { useRights } from '../../frame/who.js';
import { FilterForm } from '../../parts/filter-form.js';
import { SelectField, TextField } from '../../parts/form.js';
import { WorkspaceField } from '../../parts/workspace.js';
import type { TableQuery } from './activity-query.js';

const GROUPS = [
  ['key', 'Key'],
  ['workspace', 'Workspace'],
  ['user', 'End user'],
] as const;

/** The filters of the activity: its grouping, its days, and a workspace, key or end user. */
export function ActivityFilters({ query }: { query: TableQuery }) {
  const { isOrganization } = useRights();
  const [group, setGroup] = useState(query.group_by);
  const [from, setFrom] = useState(query.from);
  const [to, setTo] = useState(query.to);
  const [workspace, setWorkspace] = useState(query.workspace_id ?? '');
  const [hash, setHash] = useState(query.api_key_hash ?? '');
  const [user, setUser] = useState(query.user ?? '');
  const wanted = () => ({
    group_by: group,
    from,
    to,
    ...(group === 'user' ? { user: user.trim() } : { workspace_id: workspace }),
    ...(group === 'key' && { api_key_hash: hash.trim() }),
  });
  return (
    <FilterForm wanted={wanted}>
      <SelectField
        label="Rows by"
        value={group}
        onValue={setGroup}
        options={GROUPS.filter(([value]) => value !== 'user' || isOrganization)}
      />
      <TextField label="From (UTC)" type="date" value={from} onValue={setFrom} />
      <TextField label="To (UTC)" type="date" value={to} onValue={setTo} />
      {group !== 'user' && (
        <WorkspaceField value={workspace} onValue={setWorkspace} none="All workspaces" />
      )}
      {group === 'key' && <TextField label="Hash of a key" value={hash} onValue={setHash} />}
      {group === 'user' && <TextField label="Tracking ID" value={user} onValue={setUser} />}
    </FilterForm>
  );
}
