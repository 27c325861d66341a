import { answeredIfAny, api, type Schemas } from './client.js';

/** Reads a key; null for one that does not exist, or not any more. @throws Failure */
export async function findKey(hash: string): Promise<Schemas['Key'] | null> {
  const { value } = await answeredIfAny(api.GET('/v1/keys/{hash}', { params: { path: { hash } } }));
  return value && value.data;
}

/** Reads a workspace by its id or slug; null for one that does not exist, or not any more. */
export async function findWorkspace(workspace: string): Promise<Schemas['Workspace'] | null> {
  const params = { path: { workspace } };
  const { value } = await answeredIfAny(api.GET('/v1/workspaces/{workspace}', { params }));
  return value && value.data;
}
