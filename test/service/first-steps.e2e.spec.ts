import { describe, expect, it } from '@jest/globals';
import { runningApp } from '../support/harness/running-app.js';

describe('first steps', () => {
  const service = runningApp();

  it('creates a key, updates it, registers an end user and lists it', async () => {
    const { client } = service;
    const created = await client.post<{ data: { hash: string } }>('/v1/keys', { name: 'first' });
    expect(created.status).toBe(201);
    const { hash } = created.body.data;
    const updated = await client.patch(`/v1/keys/${hash}`, { name: 'renamed' });
    expect(updated).toMatchObject({ status: 200, body: { data: { hash, label: 'renamed' } } });
    expect(await client.post('/v1/end-users', { user: 'ada' })).toMatchObject({ status: 201 });
    expect(await client.get('/v1/end-users')).toMatchObject({
      status: 200,
      body: { data: [{ user: 'ada', is_active: true }], total_count: 1 },
    });
  });
});
