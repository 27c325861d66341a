import { useState } from 'preact/hooks';
import type { Answer } from '../../api/client.js';
import { useAnswer } from '../../api/use-answer.js';
import { useRights } from '../../frame/who.js';
import { ChangeDialog } from '../../parts/change-dialog.js';
import { Control } from '../../parts/control.js';
import { TextField } from '../../parts/form.js';
import { List } from '../../parts/list.js';
import { Name } from '../../parts/name.js';
import { Section } from '../../parts/section.js';
import { type Column, offsetOf, PAGE_SIZE } from '../../parts/table.js';
import { usePlace } from '../../routing/place.js';

interface Member {
  readonly user_id: string;
  readonly is_owner?: boolean;
}

interface PageOfMembers {
  readonly data: readonly Member[];
  readonly total_count: number;
}

/** The calls that list, add and remove members. All three throw a Failure. */
export interface MemberRoutes {
  readonly read: (
    query: { readonly offset: number; readonly limit: number },
    signal: AbortSignal,
  ) => Promise<Answer<PageOfMembers>>;
  readonly add: (user: string) => Promise<unknown>;
  readonly remove: (user: string) => Promise<unknown>;
}

/** The filter that holds the offset, on pages that have other lists too. */
const OFFSET = 'members_offset';

/** The members of the organization or of a workspace, and the controls that change them. */
export function MemberSection({
  routes,
  of: group,
  isFixed = false,
  hint,
  effect,
}: {
  routes: MemberRoutes;
  /** Whose members they are, such as `the workspace`. */
  of: string;
  /** Whether nobody can be added or removed here. */
  isFixed?: boolean;
  /** Who can be added. */
  hint: string;
  /** What a removal does. */
  effect: string;
}) {
  const { mayChange } = useRights();
  const offset = offsetOf(usePlace().filters, OFFSET);
  const loaded = useAnswer(`members from ${offset}`, (signal) =>
    routes.read({ offset, limit: PAGE_SIZE }, signal),
  );
  const change = async (sent: Promise<unknown>): Promise<void> => {
    await sent;
    loaded.reload();
  };
  const removal = (user: string) => (
    <Control title="Remove" of={user}>
      {(close) => (
        <ChangeDialog
          title={`Remove ${user} from ${group}?`}
          action="Remove"
          send={() => change(routes.remove(user))}
          onClose={close}
          isDangerous
        >
          <p>{effect}</p>
        </ChangeDialog>
      )}
    </Control>
  );
  const columns: readonly Column<Member>[] = [
    { title: 'User', cell: ({ user_id: user }) => <Name of={user} /> },
    { title: 'Membership', cell: ({ is_owner: isOwner }) => (isOwner ? 'owner' : 'member') },
    {
      title: 'Remove',
      isNumber: true,
      cell: ({ user_id: user, is_owner: isOwner }) => !isOwner && removal(user),
    },
  ];
  const add = (user: string): Promise<void> => change(routes.add(user));
  return (
    <Section
      title="Members"
      actions={
        !isFixed && (
          <Control title="Add a member">
            {(close) => <AddMember add={add} hint={hint} onClose={close} />}
          </Control>
        )
      }
    >
      <List
        what="members"
        loaded={loaded}
        columns={isFixed || !mayChange ? columns.slice(0, -1) : columns}
        idOf={({ user_id: user }) => user}
        empty={`There is no member of ${group} yet.`}
        name={OFFSET}
      />
    </Section>
  );
}

function AddMember({
  add,
  hint,
  onClose,
}: {
  add: MemberRoutes['add'];
  hint: string;
  onClose: () => void;
}) {
  const [user, setUser] = useState('');
  return (
    <ChangeDialog title="Add a member" action="Add" send={() => add(user)} onClose={onClose}>
      <TextField label="User" name="user_id" value={user} onValue={setUser} hint={hint} />
    </ChangeDialog>
  );
}
