import { type TargetedSubmitEvent } from 'preact';
import { useState } from 'preact/hooks';
import { addressOf, go } from '../routing/place.js';
import { leadToCheck } from '../routing/handed-to-check.js';

/** Finds a key, an end user or a workspace by its id. A key string is only ever checked. */
export function FindField({ mayCheck }: { mayCheck: boolean }) {
  const [text, setText] = useState('');
  const find = (event: TargetedSubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const wanted = text.trim();
    if (wanted === '') return;
    setText('');
    if (!leadToCheck(wanted, mayCheck)) go(addressOf('/find', { text: wanted }));
  };
  return (
    <form role="search" onSubmit={find}>
      <input
        type="search"
        aria-label="Find by hash, tracking ID, workspace id or slug"
        placeholder="Find by hash, tracking ID or slug"
        value={text}
        autocomplete="off"
        spellcheck={false}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
      />
    </form>
  );
}
