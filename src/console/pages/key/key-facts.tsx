import { Link } from 'wouter-preact';
import { type Answer, answered, api } from '../../api/client.js';
import { Failure } from '../../api/failure.js';
import type { components } from '../../api/openapi.js';
import { type Loaded, useAnswer } from '../../api/use-answer.js';
import { Facts } from '../../parts/facts.js';
import { usdText } from '../../parts/money.js';
import { Show } from '../../parts/states.js';
import { Time } from '../../parts/times.js';
import { WorkspaceName } from '../../parts/workspace.js';
import { addressOf } from '../../routing/place.js';
import { KeyState, Limit } from '../keys/key-parts.js';
import { type Key, nextReset } from '../keys/key-state.js';

type Budget = components['schemas']['SpentBudget'];

/** All fields of a key, and the budgets that its uses spend too. */
export function KeyFacts({ of: key }: { of: Key }) {
  const user = key.external_user?.user;
  const sums = (one: 'usage' | 'byok_usage') =>
    `${usdText(key[one])} (today ${usdText(key[`${one}_daily`])}, this week ${usdText(key[`${one}_weekly`])}, this month ${usdText(key[`${one}_monthly`])})`;
  return (
    <Facts
      of={[
        ['State', <KeyState of={key} />],
        ['Limit, USD', <Limit of={key} />],
        ['Limit resets', <Time at={nextReset(key.limit_reset, new Date())} none="never" />],
        ['BYOK in the limit', key.include_byok_in_limit ? 'yes' : 'no'],
        ['Budget of the workspace', <WorkspaceBudget id={key.workspace_id} />],
        ...(user === undefined
          ? []
          : ([['Budget of the end user', <UserBudget user={user} />]] as const)),
        ['Usage, USD', sums('usage')],
        ['BYOK usage, USD', sums('byok_usage')],
        ['Last use', <Time at={key.last_used_at} none="never" />],
        ['Expires', <Time at={key.expires_at} none="never" />],
        [
          'Workspace',
          <Link href={`/workspaces/${key.workspace_id}`}>
            <WorkspaceName id={key.workspace_id} />
          </Link>,
        ],
        [
          'End user',
          user === undefined ? (
            <span class="none">none</span>
          ) : (
            <Link href={addressOf('/end-users', { user })}>
              <bdi>{user}</bdi>
            </Link>
          ),
        ],
        ['Creator', <bdi>{key.creator_user_id}</bdi>],
        ['Created', <Time at={key.created_at} />],
        ['Changed', <Time at={key.updated_at} none="never" />],
        ['Hash', <code>{key.hash}</code>],
      ]}
    />
  );
}

function WorkspaceBudget({ id: workspace }: { id: string }) {
  const params = { path: { workspace } };
  const loaded = useAnswer(`budget of workspace ${workspace}`, (signal) =>
    orNone(answered(api.GET('/v1/workspaces/{workspace}/budget', { params, signal }))),
  );
  return <BudgetLeft loaded={loaded} />;
}

function UserBudget({ user }: { user: string }) {
  const params = { path: { user } };
  const loaded = useAnswer(`budget of end user ${user}`, (signal) =>
    orNone(answered(api.GET('/v1/end-users/{user}/budget', { params, signal }))),
  );
  return <BudgetLeft loaded={loaded} />;
}

/** What is left of a budget. One that is used up stops the key, whatever its own limit. */
function BudgetLeft({ loaded }: { loaded: Loaded<{ data: Budget | null }> }) {
  return (
    <Show loaded={loaded}>
      {({ data }) =>
        data === null ? (
          <span class="none">none</span>
        ) : (
          <>
            <Limit of={data} />
            {data.limit_remaining === 0 && (
              <strong class="fault"> This budget stops the key.</strong>
            )}
          </>
        )
      }
    </Show>
  );
}

/** Returns null for the answer that there is no budget. */
async function orNone(
  asked: Promise<Answer<{ data: Budget }>>,
): Promise<Answer<{ data: Budget | null }>> {
  try {
    return await asked;
  } catch (thrown) {
    const reason = thrown instanceof Failure ? thrown.details.reason : undefined;
    if (reason === 'no-budget') return { value: { data: null }, isStale: false };
    throw thrown;
  }
}
