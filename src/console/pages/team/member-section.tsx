import type { Answer } from '../../api/client.js';
import { Section } from '../../frame/page.js';
import { Change } from '../../parts/change.js';
import { TextField } from '../../parts/fields.js';
import { Name } from '../../parts/names.js';
import { type Column, List } from '../../parts/table.js';

interface Member {
  readonly user_id: string;
  readonly is_owner?: boolean;
}

/** The calls that list, add and remove members. All three throw a Failure. */
export interface MemberRoutes {
  readonly read: (query: {
    readonly offset: number;
    readonly limit: number;
  }) => Promise<Answer<{ readonly data: readonly Member[]; readonly total_count: number }>>;
  readonly add: (user: string) => Promise<unknown>;
  readonly remove: (user: string) => Promise<unknown>;
}

/** The members of the organization or of a workspace, and the controls that change them. */
export function MemberSection(props: {
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
  const { routes, of: group, isFixed = false } = props;
  const columns: readonly Column<Member>[] = [
    { title: 'User', cell: ({ user_id: user }) => <Name of={user} /> },
    { title: 'Membership', cell: ({ is_owner: isOwner }) => (isOwner ? 'owner' : 'member') },
    {
      title: 'Remove',
      isNumber: true,
      isChange: true,
      cell: ({ user_id: user, is_owner: isOwner }) =>
        !isOwner && (
          <Change
            title="Remove"
            of={user}
            question={`Remove ${user} from ${group}?`}
            action="Remove"
            send={() => routes.remove(user)}
            isDangerous
          >
            <p>{props.effect}</p>
          </Change>
        ),
    },
  ];
  const add = (
    <Change
      title="Add a member"
      action="Add"
      send={({ user_id: user = '' }: Partial<Member>) => routes.add(user)}
    >
      <TextField label="User" name="user_id" hint={props.hint} />
    </Change>
  );
  return (
    <Section title="Members" actions={!isFixed && add}>
      <List
        what="members"
        read={routes.read}
        columns={isFixed ? columns.slice(0, -1) : columns}
        idOf={({ user_id: user }) => user}
        empty={`There is no member of ${group} yet.`}
        name="members_offset"
      />
    </Section>
  );
}
