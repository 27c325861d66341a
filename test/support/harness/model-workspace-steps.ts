import fc from 'fast-check';
import {
  badPaging,
  caller,
  maybeBad,
  paging,
  ref,
  restrictions,
  user,
  type ValueOf,
} from './model-references.js';

/** The form in which a path names a workspace. */
const by = fc.constantFrom('id', 'slug');
const workspace = ref;
const slug = fc.constantFrom('red', 'green', 'blue-1');
const description = fc.constantFrom(null, '', 'for tests');
const badFields: readonly Readonly<Record<string, unknown>>[] = [
  { name: '' },
  { name: 'x'.repeat(101) },
  { slug: 'Red' },
  { slug: 'a--b' },
  { slug: '-a' },
  { slug: 'x'.repeat(51) },
  { description: 'x'.repeat(501) },
  { restrictions: 'eu-only' },
];

const openWorkspace = fc.record({
  type: fc.constant('open-workspace' as const),
  caller,
  fields: fc.record(
    { name: fc.constantFrom('Team', 'Équipe', '日本'), slug, description, restrictions },
    { requiredKeys: ['name'] },
  ),
  bad: maybeBad<unknown>([...badFields, { name: undefined }]),
});

const changeWorkspace = fc.record({
  type: fc.constant('change-workspace' as const),
  caller,
  workspace,
  by,
  fields: fc.record(
    { name: fc.constantFrom('Team', 'Crew'), slug, description, restrictions },
    { requiredKeys: [] },
  ),
  bad: maybeBad(badFields),
});

const oneWorkspace = fc.record({
  type: fc.constantFrom(
    'read-workspace' as const,
    'delete-workspace' as const,
    'list-members' as const,
  ),
  caller,
  workspace,
  by,
});

const listWorkspaces = fc.record({
  type: fc.constant('list-workspaces' as const),
  caller,
  query: fc.record(paging, { requiredKeys: [] }),
  bad: maybeBad(badPaging),
});

const changeMembers = fc.record({
  type: fc.constantFrom('add-members' as const, 'remove-members' as const),
  caller,
  workspace,
  by,
  users: fc.array(user, { minLength: 1, maxLength: 3 }),
});

export type WorkspaceStep = ValueOf<typeof workspaceStep>;

export const workspaceStep = fc.oneof(
  { weight: 2, arbitrary: openWorkspace },
  { weight: 2, arbitrary: changeWorkspace },
  { weight: 3, arbitrary: oneWorkspace },
  { weight: 1, arbitrary: listWorkspaces },
  { weight: 2, arbitrary: changeMembers },
);
