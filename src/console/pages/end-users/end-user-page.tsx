import { Link } from 'wouter-preact';
import { answered, api } from '../../api/client.js';
import type { components } from '../../api/openapi.js';
import { useAnswer } from '../../api/use-answer.js';
import { Page } from '../../frame/page.js';
import { ChangeDialog } from '../../parts/change-dialog.js';
import { Control } from '../../parts/control.js';
import { Facts } from '../../parts/facts.js';
import { Empty, Show } from '../../parts/states.js';
import { Time } from '../../parts/times.js';
import { addressOf } from '../../routing/place.js';
import { budgetOfEndUser } from '../budgets/budget-routes.js';
import { BudgetSection } from '../budgets/budget.js';

type EndUser = components['schemas']['EndUser'];

/** These two tracking IDs have no path in the API: only the list has them. */
const WITHOUT_PATH = ['.', '..'];

/** One end user, registered or not: the common budget holds for everybody. */
export function EndUserPage({ user }: { user: string }) {
  const hasPath = !WITHOUT_PATH.includes(user);
  const loaded = useAnswer(user, (signal) => {
    const query = { user, include_inactive: true };
    return answered(api.GET('/v1/end-users', { params: { query }, signal }));
  });
  const endUser = loaded.answer?.value.data[0];
  return (
    <Page
      title={user}
      actions={hasPath && endUser && <SetActive of={endUser} onSet={loaded.reload} />}
    >
      <Show loaded={loaded}>
        {({ data: [found] }) =>
          found ? (
            <Facts
              of={[
                ['State', found.is_active ? 'active' : 'inactive'],
                ['Registered', <Time at={found.created_at} />],
                ['Changed', <Time at={found.updated_at} />],
              ]}
            />
          ) : (
            <Empty>No end user with this tracking ID is registered.</Empty>
          )
        }
      </Show>
      <p>
        <Link href={addressOf('/keys', { external_user: user })}>Keys of this end user</Link>
      </p>
      {hasPath ? (
        <BudgetSection
          routes={budgetOfEndUser(user)}
          none="This end user has no budget, and there is no common one."
          mayBeSet={endUser !== undefined}
        />
      ) : (
        <Empty>The API has no address for this tracking ID: only the list has it.</Empty>
      )}
    </Page>
  );
}

function SetActive({
  of: { user, is_active: isActive },
  onSet,
}: {
  of: EndUser;
  onSet: () => void;
}) {
  const verb = isActive ? 'Deactivate' : 'Reactivate';
  const set = async (): Promise<void> => {
    const params = { path: { user } };
    await answered(api.PATCH('/v1/end-users/{user}', { params, body: { is_active: !isActive } }));
    onSet();
  };
  return (
    <Control title={verb}>
      {(close) => (
        <ChangeDialog
          title={`${verb} the end user ${user}?`}
          action={verb}
          send={set}
          onClose={close}
        >
          <p>This is information for you: the keys of this end user stay as they are.</p>
        </ChangeDialog>
      )}
    </Control>
  );
}
