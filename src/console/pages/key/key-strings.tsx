import { answered, api, type Schemas } from '../../api/client.js';
import { ChangeAtOnce } from '../../parts/change.js';
import { Load } from '../../parts/states.js';
import { type Column, Table } from '../../parts/table.js';
import { Time } from '../../parts/times.js';
import type { Key } from '../keys/key-state.js';

const COLUMNS: readonly Column<Schemas['KeyString']>[] = [
  { title: 'Hash of the string', cell: ({ hash }) => <code class="name">{hash}</code> },
  { title: 'Added', isNumber: true, cell: ({ created_at: at }) => <Time at={at} /> },
  { title: 'Ends', isNumber: true, cell: ({ ends_at: at }) => <Time at={at} none="never" /> },
];

/** The live strings of a key by their hashes. One that has an end can be ended at once. */
export function KeyStrings({ of: { hash } }: { of: Key }) {
  const end = (string_hash: string): Promise<object> => {
    const params = { path: { hash, string_hash } };
    return answered(api.DELETE('/v1/keys/{hash}/strings/{string_hash}', { params }));
  };
  const action: Column<Schemas['KeyString']> = {
    title: 'Action',
    isNumber: true,
    isChange: true,
    cell: ({ hash: string, ends_at: at }) =>
      at !== null && <ChangeAtOnce title="End now" send={() => end(string)} />,
  };
  return (
    <Load
      of={`strings ${hash}`}
      by={() => answered(api.GET('/v1/keys/{hash}/strings', { params: { path: { hash } } }))}
    >
      {({ data }) => (
        <Table
          caption="Strings"
          columns={[...COLUMNS, action]}
          rows={data}
          idOf={(string) => string.hash}
          empty="The key has no live string."
        />
      )}
    </Load>
  );
}
