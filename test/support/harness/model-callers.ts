import { expect } from '@jest/globals';
import type { HttpClient } from './http-client.js';
import type { Ref, StepCaller } from './model-references.js';
import type { ModelAccount, ModelWorkspace } from './reference-model.js';

export const UNKNOWN_ID = '00000000-0000-4000-8000-00000000dead';

/** An account of the model with its owner's client. */
export interface ModelParty {
  readonly account: ModelAccount;
  readonly client: HttpClient;
}

/** Finds the objects that steps refer to by number. */
export class ModelCallers {
  constructor(
    readonly parties: readonly ModelParty[],
    private readonly apiKey: string,
  ) {}

  party(number: number): ModelParty {
    const party = this.parties[number % this.parties.length];
    if (!party) throw new Error('a model needs accounts');
    return party;
  }

  /** Gives the client and the account of a caller. Without an account the caller gets a refusal. */
  resolve(caller: StepCaller): { client: HttpClient; account?: ModelAccount; refusal?: number } {
    if (typeof caller === 'number') return this.party(caller);
    const { client } = this.party(0);
    return caller === 'nobody'
      ? { client: client.as(undefined), refusal: 401 }
      : { client: client.as(this.apiKey), refusal: 403 };
  }

  /** Gives the workspace that a step refers to. It may belong to another account. */
  workspace(ref: Ref, account: ModelAccount | undefined): ModelWorkspace | undefined {
    const all = this.parties.flatMap(({ account: { workspaces } }) => workspaces);
    return pick(ref, account?.workspaces ?? [], all);
  }

  /** Gives the id of the workspace that a step refers to. */
  workspaceId(ref: Ref, account: ModelAccount | undefined): string {
    return this.workspace(ref, account)?.id ?? UNKNOWN_ID;
  }
}

/** Gives the object of a reference; undefined for none. */
export function pick<Thing>(
  ref: Ref,
  own: readonly Thing[],
  all: readonly Thing[],
): Thing | undefined {
  if (ref === 'unknown') return undefined;
  const things = ref.among === 'own' ? own : all;
  return things[ref.number % (things.length || 1)];
}

/** Matches an error answer with a status, in the form of all errors. */
export function errorAnswer(status: number): object {
  return {
    status,
    body: {
      error: { code: status, message: expect.stringMatching(/./) },
      service_metadata: { request_id: expect.any(String) },
    },
  };
}
