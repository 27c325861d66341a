import { useState } from 'preact/hooks';
import { type CurrentKey, type Session, signIn } from '../api/session.js';
import { Form, TextField } from '../parts/form.js';
import { FailureNote } from '../parts/states.js';

/** The page to sign in. The key goes into the session storage of this tab, and nowhere else. */
export function SignIn({ session }: { session: Session }) {
  const [key, setKey] = useState('');
  if (session.state === 'signing-in') return <p class="container none">Loading…</p>;
  const failure = session.state === 'signed-in' ? undefined : session.failure;
  return (
    <main class="container sign-in">
      <article>
        <h1>Keyledger</h1>
        {failure && <FailureNote of={failure} />}
        {session.state === 'lost' && <p>Sign in again: what you typed is still there.</p>}
        <Form
          title="Sign in"
          action="Sign in"
          send={async () => {
            setKey('');
            await signIn(key.trim());
          }}
        >
          <TextField
            label="Management key"
            type="password"
            value={key}
            onValue={setKey}
            hint="It stays in this tab until you sign out, or for 15 minutes without use."
          />
        </Form>
      </article>
    </main>
  );
}

/** Says what a key is for that opens no page of the console. */
export function NoPages({ who }: { who: CurrentKey }) {
  return (
    <p class="no-pages">
      {who.is_management_key
        ? 'This management key has the role gateway: a gateway verifies API keys and reports usage with it. Sign in with a key of the role auditor or admin.'
        : 'This is an API key: a client sends it to the API that it opens. Sign in with a management key of the role auditor or admin.'}
    </p>
  );
}
