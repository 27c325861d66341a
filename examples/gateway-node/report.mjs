import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';

export function reporter({ address, managementKey, file }) {
  if (!managementKey) throw new Error('KEY is empty');
  const headers = { Authorization: `Bearer ${managementKey}`, 'Content-Type': 'application/json' };
  const pending = [];
  const said = new Set();
  let reports = [];

  function say(kind, details) {
    if (!said.has(kind)) console.error(`Usage reports: ${kind}:`, JSON.stringify(details));
    said.add(kind);
  }

  /** Sends a report. @returns what to send in place of it. */
  async function send({ id, records }) {
    const answer = await fetch(`${address}/v1/usage-reports/${id}`, {
      method: 'PUT',
      headers,
      body: JSON.stringify({ records }),
      signal: AbortSignal.timeout(15_000),
    });
    const { data, error } = await answer.json().catch(() => ({}));
    if (data) {
      if (data.unattributed.length > 0) say('charged to nobody', data.unattributed[0]);
      return [];
    }
    const { status } = answer;
    const { reason, issues = [] } = error?.metadata ?? {};
    const bad = new Set(issues.map(({ path }) => Number(path.split('.')[1])));
    say(`${status} ${reason}`, issues[0] ?? error?.message);
    if (records.some((_, index) => bad.has(index))) {
      const isEarlyOrLate = reason === 'occurred-at-out-of-range';
      // Without a time they are charged, if a little late.
      const kept = (record) => isEarlyOrLate && record.occurred_at && delete record.occurred_at;
      return [{ id, records: records.filter((record, index) => !bad.has(index) || kept(record)) }];
    }
    if ((status === 413 || reason === 'body-too-complex') && records.length > 1) {
      const half = records.splice(0, records.length / 2);
      return [
        { id, records: half },
        { id: randomUUID(), records },
      ];
    }
    if (status >= 400 && status < 500 && ![408, 429].includes(status)) return [];
    const seconds = Number(answer.headers.get('Retry-After')) || 1;
    return setTimeout(Math.min(seconds, 3_600) * 1_000, [{ id, records }]);
  }

  async function run() {
    for (;;) {
      if (pending.length < 1_000) await setTimeout(1_000);
      if (pending.length > 0) reports.push({ id: randomUUID(), records: pending.splice(0, 1_000) });
      while (reports.length > 0) {
        await writeFile(`${file}.new`, JSON.stringify(reports))
          .then(() => rename(`${file}.new`, file))
          .catch(({ message }) => say('not stored', message));
        const [first, ...others] = reports;
        const next = await send(first).catch(({ name, cause }) => {
          say('no answer', cause?.code ?? name);
          return setTimeout(1_000, [first]);
        });
        reports = [...next, ...others].filter(({ records }) => records.length > 0);
      }
    }
  }

  try {
    reports = [...JSON.parse(readFileSync(file, 'utf8'))];
  } catch ({ code, message }) {
    if (code !== 'ENOENT') say('lost', message);
  }
  setInterval(() => said.clear(), 3_600_000).unref();
  run();

  return (record) => {
    try {
      const time = { occurred_at: new Date().toISOString() };
      pending.push(JSON.parse(JSON.stringify({ ...time, ...record })));
    } catch ({ message }) {
      say('not a record', message);
    }
    if (pending.length > 98_000)
      say('too many, dropped the oldest', pending.splice(0, 1_000).length);
  };
}
