import { useState } from 'preact/hooks';
import { Link, useParams } from 'wouter-preact';
import { answered, api } from '../../api/client.js';
import { useAnswer } from '../../api/use-answer.js';
import { Page } from '../../frame/page.js';
import { useRights } from '../../frame/who.js';
import { AuditEvents } from '../../parts/audit-events.js';
import { ChangeButton } from '../../parts/change-button.js';
import { Control } from '../../parts/control.js';
import { Show } from '../../parts/states.js';
import { addressOf, go } from '../../routing/place.js';
import type { Key } from '../keys/key-state.js';
import { DeleteKey } from './delete-key.js';
import { EditKey } from './edit-key.js';
import { KeyFacts } from './key-facts.js';
import { KeyStrings } from './key-strings.js';
import { KeyUse } from './key-use.js';
import { RotateKey } from './rotate-key.js';

/** Everything about a key, and what can be done with it. */
export function KeyPage() {
  const { hash } = useParams<{ hash: string }>();
  const loaded = useAnswer(`key ${hash}`, (signal) =>
    answered(api.GET('/v1/keys/{hash}', { params: { path: { hash } }, signal })),
  );
  const key = loaded.answer?.value.data;
  const [changes, setChanges] = useState(0);
  const reload = (): void => {
    setChanges((before) => before + 1);
    loaded.reload();
  };
  return (
    <Page title={key?.name ?? 'Key'} actions={key && <KeyActions of={key} onChanged={reload} />}>
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
    </Page>
  );
}

function KeyActions({ of: key, onChanged }: { of: Key; onChanged: () => void }) {
  const { mayChange } = useRights();
  const setDisabled = async (): Promise<void> => {
    const params = { path: { hash: key.hash } };
    await answered(api.PATCH('/v1/keys/{hash}', { params, body: { disabled: !key.disabled } }));
    onChanged();
  };
  const thenReload = (close: () => void) => (): void => {
    close();
    onChanged();
  };
  return (
    <>
      {mayChange && <ChangeButton title={key.disabled ? 'Enable' : 'Disable'} send={setDisabled} />}
      <Control title="Edit">
        {(close) => <EditKey of={key} onChanged={thenReload(close)} onClose={close} />}
      </Control>
      <Control title="Rotate">
        {(close) => <RotateKey of={key} onRotated={onChanged} onClose={close} />}
      </Control>
      <Control title="Delete" kind="dangerous">
        {(close) => <DeleteKey of={key} onDeleted={() => go('/keys')} onClose={close} />}
      </Control>
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
