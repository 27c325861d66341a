import { answered, api } from '../../api/client.js';
import type { components } from '../../api/openapi.js';
import { useAnswer } from '../../api/use-answer.js';
import { useRights } from '../../frame/who.js';
import { ChangeButton } from '../../parts/change-button.js';
import { Show } from '../../parts/states.js';
import { type Column, Table } from '../../parts/table.js';
import { Time } from '../../parts/times.js';
import type { Key } from '../keys/key-state.js';

type KeyString = components['schemas']['KeyString'];

/** The live strings of a key by their hashes. One that has an end can be ended at once. */
export function KeyStrings({
  of: { hash },
  changes,
  onChanged,
}: {
  of: Key;
  /** The number of changes so far. The strings are loaded again after each. */
  changes: number;
  onChanged: () => void;
}) {
  const { mayChange } = useRights();
  const loaded = useAnswer(`strings ${hash} ${changes}`, (signal) =>
    answered(api.GET('/v1/keys/{hash}/strings', { params: { path: { hash } }, signal })),
  );
  const end = async (string_hash: string): Promise<void> => {
    const params = { path: { hash, string_hash } };
    await answered(api.DELETE('/v1/keys/{hash}/strings/{string_hash}', { params }));
    onChanged();
  };
  const columns: readonly Column<KeyString>[] = [
    { title: 'Hash of the string', cell: ({ hash: of }) => <code class="name">{of}</code> },
    { title: 'Added', isNumber: true, cell: ({ created_at: at }) => <Time at={at} /> },
    { title: 'Ends', isNumber: true, cell: ({ ends_at: at }) => <Time at={at} none="never" /> },
    {
      title: 'Action',
      isNumber: true,
      cell: ({ hash: of, ends_at: at }) =>
        mayChange && at !== null && <ChangeButton title="End now" send={() => end(of)} />,
    },
  ];
  return (
    <Show loaded={loaded}>
      {({ data }) => (
        <Table
          caption="Strings"
          columns={mayChange ? columns : columns.slice(0, -1)}
          rows={data}
          idOf={(string) => string.hash}
          empty="The key has no live string."
        />
      )}
    </Show>
  );
}
