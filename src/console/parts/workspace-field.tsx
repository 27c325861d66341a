import { answered, api } from '../api/client.js';
import { useAnswer } from '../api/use-answer.js';
import { SelectField, TextField } from './fields.js';

const MOST_OPTIONS = 100;

/**
 * Chooses a workspace by its name, or by its id where they are very many or not known.
 * @param none what no workspace is called, such as all of them; absent where one must be chosen
 */
export function WorkspaceField({ none }: { none?: string }) {
  const { answer, failure } = useAnswer('workspaces', () =>
    answered(api.GET('/v1/workspaces', { params: { query: { limit: MOST_OPTIONS } } })),
  );
  const { data = [], total_count: total = 0 } = answer?.value ?? {};
  const labels = { label: 'Workspace', name: 'workspace_id' };
  if (total > MOST_OPTIONS || (failure && !answer)) return <TextField {...labels} hint="Its id" />;
  const options = data.map(({ id, name }) => [id, name] as const);
  const all = none === undefined ? options : [['', none] as const, ...options];
  // A select whose options come later would lose what is chosen.
  return <SelectField key={String(answer === undefined)} {...labels} options={all} />;
}
