import type { WorkspaceRecord } from '../../src/accounts/domain/workspace.js';
import type { HttpClient } from './http-client.js';

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

/** Creates a workspace over HTTP. @throws when that was refused. */
export async function createWorkspace(
  client: HttpClient,
  body: object = {},
): Promise<WorkspaceRecord> {
  const created = await client.post<OneWorkspace>('/v1/workspaces', { name: 'A team', ...body });
  if (created.status === 201) return created.body.data;
  throw new Error(`the creation was answered ${created.status}: ${created.text}`);
}
