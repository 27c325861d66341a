import 'reflect-metadata';
import { expect, it } from '@jest/globals';
import { MOST_ANSWER_BYTES } from '../kernel/answer-size.js';
import type { WorkspaceRecord } from './domain/workspace.js';
import { presentListedWorkspace, presentWorkspace } from './workspace-record.js';

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

it('a list shows restrictions whole when they are as many and as long as they may be now', () => {
  const restrictions = Array.from({ length: 32 }, (_, index) => `${'💶'.repeat(62)}${10 + index}`);
  const workspace = { ...RECORD, restrictions };
  expect(presentListedWorkspace(workspace)).toEqual(presentWorkspace(workspace));
});

it('a list cuts restrictions of an earlier release that are longer, or more', () => {
  const long = { ...RECORD, restrictions: ['r'.repeat(512), 'eu-only'] };
  expect(presentListedWorkspace(long).restrictions).toEqual([`${'r'.repeat(63)}…`, 'eu-only']);
  const restrictions = Array.from({ length: 100 }, (_, index) => `r${index}`);
  const many = presentListedWorkspace({ ...RECORD, restrictions }).restrictions;
  expect(many).toEqual([...restrictions.slice(0, 31), '…']);
});

it('a hundred listed workspaces with the longest texts fit into one answer', () => {
  const text = (length: number): string => '\u0001'.repeat(length);
  const workspace = presentListedWorkspace({
    ...RECORD,
    name: text(100),
    slug: 'x'.repeat(50),
    description: text(500),
    created_by: text(512),
    restrictions: Array.from({ length: 100 }, () => text(512)),
  });
  expect(100 * Buffer.byteLength(JSON.stringify(workspace))).toBeLessThan(MOST_ANSWER_BYTES);
});
