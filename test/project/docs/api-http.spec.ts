import { describe, expect, it } from '@jest/globals';
import { HttpClient } from '../../support/harness/http-client.js';
import { runningApp } from '../../support/harness/running-app.js';
import { read } from './markdown.js';

interface Written {
  readonly title: string;
  readonly status: number;
  readonly text: string;
}

function requests(): Written[] {
  const [, ...parts] = read('docs/api.http').split(/^### /m);
  return parts.map((part) => {
    const [heading = '', ...lines] = part.split('\n');
    const [, status, title = ''] = /^(\d{3}) (.+)$/.exec(heading) ?? [];
    return { title, status: Number(status), text: lines.join('\n').trim() };
  });
}

describe('docs/api.http', () => {
  const service = runningApp();

  it('gets from a new service, sent in order, the statuses that it names', async () => {
    const got: [string, number][] = [];
    for (const { title, text } of requests()) {
      const filled = text
        .replaceAll('{{address}}', service.address)
        .replaceAll('{{key}}', service.managementKey);
      const [head = '', body] = filled.split('\n\n');
      const [target = '', ...fields] = head.split('\n');
      const [method = '', url = ''] = target.split(' ');
      const headers = Object.fromEntries(
        fields.map((field): [string, string] => {
          const [name = '', value = ''] = field.split(': ');
          return [name, value];
        }),
      );
      const path = url.replace(service.address, '');
      const call = { headers, ...(body !== undefined && { body }) };
      const answer = await new HttpClient(service.address).send(method, path, call);
      got.push([title, answer.status]);
    }
    expect(got).toEqual(requests().map(({ title, status }) => [title, status]));
    expect(got.length).toBeGreaterThan(0);
  });
});
