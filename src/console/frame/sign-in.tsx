import { useEffect } from 'preact/hooks';
import { idleKey } from '../api/idle-key.js';
import { type CurrentKey, type Session, signIn } from '../api/session.js';
import { TextField } from '../parts/fields.js';
import { Form } from '../parts/form.js';
import { FailureNote } from '../parts/states.js';

/** The page to sign in. The key goes into the session storage of this tab, and nowhere else. */
export function SignIn({ session }: { session: Session }) {
  useEffect(() => {
    const before = document.title;
    // The title of a page may be the name of a key.
    document.title = 'Sign in · Keyledger';
    return () => {
      document.title = before;
    };
  }, []);
  if (session.state === 'signing-in') return <p class="container none">Loading…</p>;
  const failure = session.state === 'signed-in' ? undefined : session.failure;
  const again = idleKey.read() !== null ? () => void signIn(idleKey.read() ?? '') : undefined;
  return (
    <main class="container sign-in">
      <article>
        <h1>Keyledger</h1>
        {failure && <FailureNote of={failure} retry={again} />}
        {session.state === 'lost' && <p>Sign in again: what you typed is still there.</p>}
        <Form title="Sign in" action="Sign in" send={send}>
          <TextField
            label="Management key"
            name="key"
            type="password"
            hint="It stays in this tab until you sign out, or for 15 minutes without use."
          />
        </Form>
      </article>
    </main>
  );
}

const send = ({ key = '' }: { key?: string }): Promise<void> => signIn(key.trim());

/** Says what a key is for that opens no page of the console. */
export function NoPages({ who }: { who: CurrentKey }) {
  return (
    <p>
      {who.is_management_key
        ? 'This management key has the role gateway: a gateway verifies API keys and reports usage with it. Sign in with a key of the role auditor or admin.'
        : 'This is an API key: a client sends it to the API that it opens. Sign in with a management key of the role auditor or admin.'}
    </p>
  );
}
