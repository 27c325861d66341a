import { useState } from 'preact/hooks';
import { Link, useParams } from 'wouter-preact';
import { answered, api } from '../../api/client.js';
import { useAnswer } from '../../api/use-answer.js';
import { Page } from '../../frame/page.js';
import { useRights } from '../../frame/who.js';
import { AuditEvents } from '../../parts/audit-events.js';
import { ChangeButton } from '../../parts/change-button.js';
import { Show } from '../../parts/states.js';
import { addressOf, go } from '../../routing/place.js';
import type { Key } from '../keys/key-state.js';
import { DeleteKey } from './delete-key.js';
import { EditKey } from './edit-key.js';
import { KeyFacts } from './key-facts.js';
import { KeyStrings } from './key-strings.js';
import { KeyUse } from './key-use.js';
import { RotateKey } from './rotate-key.js';

type Doing = 'edit' | 'rotate' | 'delete' | null;

/** Everything about a key, and what can be done with it. */
export function KeyPage() {
  const { hash } = useParams<{ hash: string }>();
  const { mayChange } = useRights();
  const [doing, setDoing] = useState<Doing>(null);
  const loaded = useAnswer(`key ${hash}`, (signal) =>
    answered(api.GET('/v1/keys/{hash}', { params: { path: { hash } }, signal })),
  );
  const key = loaded.answer?.value.data;
  const [changes, setChanges] = useState(0);
  const stop = (): void => setDoing(null);
  const reload = (): void => {
    setChanges((before) => before + 1);
    loaded.reload();
  };
  const changed = (): void => {
    stop();
    reload();
  };
  return (
    <Page
      title={key?.name ?? 'Key'}
      actions={mayChange && key && <KeyActions of={key} begin={setDoing} onChanged={reload} />}
    >
      <Show loaded={loaded}>
        {({ data }) => (
          <>
            <KeyFacts of={data} />
            <h2>Last 30 days</h2>
            <KeyUse hash={data.hash} />
            <h2>Strings</h2>
            <KeyStrings of={data} changes={changes} onChanged={reload} />
            <h2>Changes</h2>
            <KeyChanges of={data} changes={changes} />
          </>
        )}
      </Show>
      {key && doing === 'edit' && <EditKey of={key} onChanged={changed} onClose={stop} />}
      {key && doing === 'rotate' && <RotateKey of={key} onRotated={reload} onClose={stop} />}
      {key && doing === 'delete' && (
        <DeleteKey of={key} onDeleted={() => go('/keys')} onClose={stop} />
      )}
    </Page>
  );
}

function KeyActions({
  of: { hash, disabled },
  begin,
  onChanged,
}: {
  of: Key;
  begin: (what: Doing) => void;
  onChanged: () => void;
}) {
  const setDisabled = async (): Promise<void> => {
    const params = { path: { hash } };
    await answered(api.PATCH('/v1/keys/{hash}', { params, body: { disabled: !disabled } }));
    onChanged();
  };
  return (
    <>
      <ChangeButton title={disabled ? 'Enable' : 'Disable'} send={setDisabled} />
      <button type="button" class="secondary" onClick={() => begin('edit')}>
        Edit
      </button>
      <button type="button" class="secondary" onClick={() => begin('rotate')}>
        Rotate
      </button>
      <button type="button" class="dangerous" onClick={() => begin('delete')}>
        Delete
      </button>
    </>
  );
}

/** The newest audit events of a key. They are loaded again after each change. */
function KeyChanges({ of: key, changes }: { of: Key; changes: number }) {
  const query = { target_type: 'key', target_id: key.hash } as const;
  const loaded = useAnswer(`events ${key.hash} ${changes}`, (signal) =>
    answered(api.GET('/v1/audit-events', { params: { query: { ...query, limit: 20 } }, signal })),
  );
  return (
    <Show loaded={loaded}>
      {({ data, next_cursor: more }) => (
        <>
          <AuditEvents of={data} empty="There are no events of this key." />
          {more !== null && <Link href={addressOf('/audit', query)}>All changes of this key</Link>}
        </>
      )}
    </Show>
  );
}
