import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { reloadAnswers } from '../api/use-answer.js';
import { useRights } from '../frame/who.js';
import { useQuestionBeforeLeaving } from '../routing/leaving.js';
import { Button } from './button.js';
import { Dialog } from './dialog.js';
import { Form, useSending } from './form.js';
import { isNewString, type NewString, ShownOnce } from './shown-once.js';
import { FailureNote } from './states.js';

const UNDER_WAY = 'A new string is about to come, and is shown only once. Leave without it?';

/**
 * A button with the dialog of a change. It is there only for those who may make changes. After the
 * change, the page is loaded again.
 */
export function Change<Changed extends object>(props: {
  /** What the button says. */
  title: string;
  /** What the change is about, for whoever does not see the row that the button is in. */
  of?: string;
  kind?: 'main' | 'secondary' | 'dangerous';
  /** What the dialog says. Default: what the button says. */
  question?: string;
  action: string;
  before?: Readonly<Record<string, unknown>> | undefined;
  /** Makes the change. @returns a new string if `makesString`. @throws Failure */
  send: (changed: Changed) => Promise<unknown>;
  makesString?: boolean;
  isDangerous?: boolean;
  /** The fields. */
  children?: ComponentChildren;
}) {
  const { title, of: what, kind = 'secondary', question = title } = props;
  const { mayChange } = useRights();
  const [isOpen, setOpen] = useState(false);
  const [state, setState] = useState<'new' | 'under way' | 'answered'>('new');
  const [made, setMade] = useState<NewString | null>(null);
  useQuestionBeforeLeaving(props.makesString && state === 'under way' ? UNDER_WAY : undefined);
  if (!mayChange) return null;

  const finish = (): void => {
    setOpen(false);
    setState('new');
    setMade(null);
    reloadAnswers();
  };
  // Also after a failure: the service may have stored the change, and not know what follows.
  const close = (): void => (state === 'answered' ? finish() : setOpen(false));
  async function send(changed: Changed): Promise<void> {
    setState('under way');
    const sent = await props.send(changed).finally(() => setState('answered'));
    if (isNewString(sent)) setMade(sent);
    else finish();
  }

  return (
    <>
      <Button title={title} of={what} kind={kind} onClick={() => setOpen(true)} />
      {isOpen && !made && (
        <Dialog title={question} onClose={close}>
          <Form {...props} title={question} send={send} onCancel={close} />
        </Dialog>
      )}
      {made && <ShownOnce of={made} onStored={finish} />}
    </>
  );
}

/** A button that makes a change at once. When that fails, a dialog says why. */
export function ChangeAtOnce({ title, send }: { title: string; send: () => Promise<unknown> }) {
  const { mayChange } = useRights();
  const change = (): Promise<unknown> => send().finally(reloadAnswers);
  return mayChange && <AtOnce title={title} send={change} />;
}

/** A button that does something at once. When that fails, a dialog says why. */
export function AtOnce({ title, send }: { title: string; send: () => Promise<unknown> }) {
  const { isSending, failure, start, forget } = useSending();
  const outcome = failure?.details.isStored ? 'is stored' : 'failed';
  return (
    <>
      <Button title={title} isBusy={isSending} onClick={() => start(send)} />
      {failure && (
        <Dialog title={`${title}: this ${outcome}`} onClose={forget}>
          <FailureNote of={failure} />
          <Button title="Close" onClick={forget} />
        </Dialog>
      )}
    </>
  );
}
