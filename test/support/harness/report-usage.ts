import { randomUUID } from 'node:crypto';
import type { HttpClient } from './http-client.js';

/** Reports uses of keys. Gives the id of the report. @throws Error when it is not accepted. */
export async function reportUsage(client: HttpClient, ...records: object[]): Promise<string> {
  const id = randomUUID();
  const { status, text } = await client.put(`/v1/usage-reports/${id}`, { records });
  if (status !== 201) throw new Error(`the report was answered with ${status}: ${text}`);
  return id;
}
