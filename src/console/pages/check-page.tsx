import { useEffect, useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { answered, api } from '../api/client.js';
import type { components } from '../api/openapi.js';
import { Page } from '../frame/page.js';
import { useRights } from '../frame/who.js';
import { Facts } from '../parts/facts.js';
import { Form, TextField } from '../parts/form.js';
import { usdText } from '../parts/money.js';
import { Time } from '../parts/times.js';
import { WorkspaceName } from '../parts/workspace.js';
import { receiveHanded } from '../routing/handed-to-check.js';
import { Limit } from './keys/key-parts.js';

type Verification = components['schemas']['Verification'];

const HASH = /^[0-9a-f]{64}$/i;

const MEANINGS: Readonly<Record<string, string>> = {
  VALID: 'The key may be used.',
  MALFORMED: 'This has no form of an API key. Part of it may be missing.',
  NOT_FOUND: 'The account has no such API key.',
  ROTATED: 'The string was replaced and has ended. The key has another one.',
  DISABLED: 'The key is disabled.',
  EXPIRED: 'The key has expired.',
  LIMIT_EXCEEDED: 'A limit is used up.',
};

/** Says what a gateway would get for a key. What was pasted is in no address, and not kept. */
export function CheckPage() {
  const { isOrganization } = useRights();
  const [text, setText] = useState('');
  const [user, setUser] = useState('');
  const [result, setResult] = useState<Verification | null>(null);
  useEffect(() => receiveHanded(setText), []);

  async function check(): Promise<void> {
    setResult(null);
    const wanted = text.trim().replace(/^Bearer\s+/i, '');
    const about = HASH.test(wanted) ? { hash: wanted.toLowerCase() } : { key: wanted };
    const body = { ...about, user: user || null };
    const { value } = await answered(api.POST('/v1/keys/verify', { body }));
    setText('');
    setResult(value.data);
  }

  return (
    <Page title="Check a key">
      <Form title="Check a key" action="Check" send={check}>
        <TextField
          label="Key string or hash"
          name={HASH.test(text.trim()) ? 'hash' : 'key'}
          value={text}
          onValue={setText}
          hint="It is sent to the service, and forgotten when the answer is here."
        />
        {isOrganization && (
          <TextField
            label="End user"
            name="user"
            value={user}
            onValue={setUser}
            hint="Tracking ID that the gateway would name; empty for none"
          />
        )}
      </Form>
      {result && <Result of={result} />}
    </Page>
  );
}

function Result({ of: { code, key, exceeded, valid } }: { of: Verification }) {
  return (
    <section role="status">
      <h2 class={valid ? undefined : 'fault'}>{code}</h2>
      <p>{MEANINGS[code]}</p>
      {exceeded && (
        <Facts
          of={[
            ['Limit of', `the ${exceeded.scope}`],
            ['Limit, USD', usdText(exceeded.limit)],
            ['Spent, USD', usdText(exceeded.usage)],
            ['Window', exceeded.interval],
            ['Resets', <Time at={exceeded.resets_at} none="never" />],
          ]}
        />
      )}
      {key && (
        <Facts
          of={[
            [
              'Key',
              <Link href={`/keys/${key.hash}`}>
                <bdi>{key.name}</bdi>
              </Link>,
            ],
            ['Workspace', <WorkspaceName id={key.workspace_id} />],
            ['End user', <bdi>{key.external_user?.user ?? 'none'}</bdi>],
            ['Limit of the key', <Limit of={key} />],
            ['Expires', <Time at={key.expires_at} none="never" />],
          ]}
        />
      )}
    </section>
  );
}
