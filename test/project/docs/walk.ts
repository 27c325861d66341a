import { HttpClient } from '../../support/harness/http-client.js';
import { parseCurl } from '../../support/harness/curl-request.js';
import { blocksOf } from './markdown.js';

/** A command of a document with the answer that the document shows; undefined without an answer. */
export interface Step {
  readonly command: string;
  readonly shown: unknown;
}

/** The values of an answer that later commands use. */
interface Answered {
  readonly data?: { readonly hash?: string };
  readonly key?: string;
  readonly next_cursor?: string | null;
}

/**
 * Gives the curl command of each block in order. A variable may keep the answer: `NAME=$(curl …)`.
 */
export function stepsOf(markdown: string): Step[] {
  const blocks = blocksOf(markdown);
  return blocks.flatMap(({ text }, index) => {
    const next = blocks[index + 1];
    const kept = /^\w+=\$\((curl [^]*?)\)$/m.exec(text)?.[1];
    const command = kept ?? /^curl [^]*/m.exec(text)?.[0];
    if (command === undefined) return [];
    const shown = next?.language === 'json' ? (JSON.parse(next.text) as unknown) : undefined;
    return [{ command, shown }];
  });
}

/**
 * Sends the request of a command.
 * @param variables the shell variables. `HASH` and `API_KEY` get the values of an API key that an
 * answer creates, `GATEWAY_KEY` that of a management key, and `CURSOR` that of a page.
 */
export async function take(
  { command }: Step,
  variables: Record<string, string>,
): Promise<{ readonly status: number; readonly body: unknown; readonly text: string }> {
  const { method, url, headers, body } = parseCurl(command, variables);
  const { origin } = new URL(url);
  const answer = await new HttpClient(origin).send<Answered | undefined>(
    method,
    url.replace(origin, ''),
    { headers, ...(body !== undefined && { body }) },
  );
  const { data, key, next_cursor } = answer.body ?? {};
  if (typeof next_cursor === 'string') variables.CURSOR = next_cursor;
  if (url.includes('/management-keys')) {
    if (key !== undefined) variables.GATEWAY_KEY = key;
  } else if (data?.hash !== undefined) {
    variables.HASH = data.hash;
    if (key !== undefined) variables.API_KEY = key;
  }
  return answer;
}
