import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { answered, api, type Schemas } from '../api/client.js';
import { Page } from '../frame/page.js';
import { useRights } from '../frame/who.js';
import { Facts } from '../parts/facts.js';
import { TextField } from '../parts/fields.js';
import { Form } from '../parts/form.js';
import { usdText } from '../parts/money.js';
import { WorkspaceName } from '../parts/names.js';
import { Time } from '../parts/times.js';
import { handedToCheck } from '../routing/handed-to-check.js';
import { Limit } from './keys/key-parts.js';

type Verification = Schemas['Verification'];

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
  const handed = handedToCheck.use();
  const [result, setResult] = useState<Verification | null>(null);
  const around = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const field = around.current?.querySelector('input');
    if (!field || handed === '') return;
    field.value = handed;
    handedToCheck.set('');
  }, [handed]);

  async function check({ key = '', user }: { key?: string; user?: string }): Promise<void> {
    setResult(null);
    const text = key.trim().replace(/^Bearer\s+/i, '');
    const about = HASH.test(text) ? { hash: text.toLowerCase() } : { key: text };
    const body = { ...about, user: user || null };
    const { value } = await answered(api.POST('/v1/keys/verify', { body }));
    setResult(value.data);
  }

  return (
    <Page title="Check a key">
      <Form title="Check a key" action="Check" send={check}>
        <div ref={around}>
          <TextField
            label="Key string or hash"
            name="key"
            hint="It is sent to the service, and forgotten when the answer is here."
          />
        </div>
        {isOrganization && (
          <TextField
            label="End user"
            name="user"
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
