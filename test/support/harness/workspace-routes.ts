import type { WorkspaceRecord } from '../../../src/features/accounts/domain/workspace.js';
import type { Answer, HttpClient } from './http-client.js';

export interface OneWorkspace {
  readonly data: WorkspaceRecord;
}

export interface WorkspaceList {
  readonly data: readonly WorkspaceRecord[];
  readonly total_count: number;
}

export interface MemberList {
  readonly data: readonly { readonly user_id: string }[];
  readonly total_count: number;
}

/** Creates a workspace over HTTP. @throws Error when the creation is refused. */
export async function createWorkspace(
  client: HttpClient,
  body: object = {},
): Promise<WorkspaceRecord> {
  const created = await client.post<OneWorkspace>('/v1/workspaces', { name: 'A team', ...body });
  if (created.status === 201) return created.body.data;
  throw new Error(`the creation was answered ${created.status}: ${created.text}`);
}

/** Requests the deletion of a workspace over HTTP. */
export function deleteWorkspace(client: HttpClient, idOrSlug: string): Promise<Answer> {
  return client.send('DELETE', `/v1/workspaces/${idOrSlug}`);
}

/** Whether a workspace can be read over HTTP. @throws Error for any answer but 200 and 404. */
export async function workspaceExists(client: HttpClient, idOrSlug: string): Promise<boolean> {
  const { status, text } = await client.get(`/v1/workspaces/${idOrSlug}`);
  if (status === 200 || status === 404) return status === 200;
  throw new Error(`the read was answered ${status}: ${text}`);
}
