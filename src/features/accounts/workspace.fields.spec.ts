import 'reflect-metadata';
import { expect, it } from '@jest/globals';
import { MOST_ANSWER_BYTES } from '../../kernel/sizes.js';
import type { WorkspaceRecord } from './domain/workspace.js';
import { presentWorkspace, RESTRICTION, RESTRICTIONS } from './workspace.fields.js';

const RECORD: WorkspaceRecord = {
  id: 'b7c0de3a-5d0c-4c6f-8f1d-2a9e6f1c3b4d',
  name: 'Europe',
  slug: 'europe',
  description: null,
  restrictions: ['eu-only'],
  is_default: false,
  created_by: 'user-ada',
  created_at: '2026-01-05T09:30:00.000Z',
  updated_at: '2026-01-05T09:30:00.000Z',
};

it('a hundred listed workspaces with the longest texts fit into one answer', () => {
  const text = (length: number): string => '\u0001'.repeat(length);
  const workspace = presentWorkspace({
    ...RECORD,
    name: text(100),
    slug: 'x'.repeat(50),
    description: text(500),
    created_by: text(512),
    restrictions: Array.from({ length: RESTRICTIONS.max }, () => text(RESTRICTION.max)),
  });
  expect(100 * Buffer.byteLength(JSON.stringify(workspace))).toBeLessThan(MOST_ANSWER_BYTES);
});
