import { useEffect } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { type Answer, answeredIfAny, api } from '../api/client.js';
import { findKey, findWorkspace } from '../api/records.js';
import { useAnswer } from '../api/use-answer.js';
import { Page } from '../frame/page.js';
import { useRights } from '../frame/who.js';
import { Show } from '../parts/states.js';
import { addressOfEndUser, replacePlace, usePlace } from '../routing/place.js';

/** Something that a text can be the id of. */
interface Found {
  readonly what: string;
  readonly name: string;
  readonly address: string;
}

const HASH = /^[0-9a-f]{64}$/;
const WORKSPACE = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$|^[a-z0-9]+(-[a-z0-9]+)*$/;

/** Leads to what has the id that was typed. When several have it, all are offered. */
export function FindPage() {
  const { text = '' } = usePlace().filters;
  return <Findings key={text} of={text} />;
}

function Findings({ of: text }: { of: string }) {
  const { isOrganization } = useRights();
  const loaded = useAnswer(text, async () => {
    const [users, ...others] = await Promise.all([
      isOrganization ? endUserOf(text) : { value: [], isStale: false },
      HASH.test(text) ? keyOf(text) : [],
      WORKSPACE.test(text) && text.length <= 50 ? workspaceOf(text) : [],
    ]);
    return { value: [...others.flat(), ...users.value], isStale: users.isStale };
  });
  const only = loaded.answer?.value.length === 1 ? loaded.answer.value[0]?.address : undefined;
  useEffect(() => {
    if (only !== undefined && !loaded.isLoading) replacePlace(only);
  }, [only, loaded.isLoading]);
  return (
    <Page title="Find">
      <Show loaded={loaded}>
        {(found) => (
          <>
            {found.length > 0 && <p>Several things have this id:</p>}
            <ul>
              {found.map(({ what, name, address }) => (
                <li key={address}>
                  {what}{' '}
                  <Link href={address}>
                    <bdi>{name}</bdi>
                  </Link>
                </li>
              ))}
            </ul>
            {found.length === 0 && <NothingFound text={text} />}
          </>
        )}
      </Show>
    </Page>
  );
}

function NothingFound({ text }: { text: string }) {
  return (
    <p class="none">
      Nothing has the id <bdi>{text}</bdi>. There is no search by name:{' '}
      <Link href="/keys">Keys</Link> have filters by workspace, creator, end user and expiry.
    </p>
  );
}

async function keyOf(hash: string): Promise<Found[]> {
  const key = await findKey(hash);
  return key ? [{ what: 'Key', name: key.name, address: `/keys/${hash}` }] : [];
}

async function workspaceOf(idOrSlug: string): Promise<Found[]> {
  const found = await findWorkspace(idOrSlug);
  if (!found) return [];
  return [{ what: 'Workspace', name: found.name, address: `/workspaces/${found.id}` }];
}

async function endUserOf(user: string): Promise<Answer<Found[]>> {
  const query = { user, include_inactive: true };
  const { value, isStale } = await answeredIfAny(api.GET('/v1/end-users', { params: { query } }));
  const found = { what: 'End user', name: user, address: addressOfEndUser(user) };
  return { value: value && value.data.length > 0 ? [found] : [], isStale };
}
