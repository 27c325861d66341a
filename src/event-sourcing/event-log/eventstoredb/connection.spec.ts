import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { Connection } from './connection.js';

const ATTEMPT_MS = 3_000;
let now = 0;
let connection: Connection;
let silences: number;

beforeEach(() => {
  jest.spyOn(performance, 'now').mockImplementation(() => now);
  silences = 0;
  connection = new Connection('esdb://127.0.0.1:1?tls=false', {}, () => (silences += 1));
});

afterEach(async () => {
  jest.restoreAllMocks();
  await connection.client.dispose();
});

/** Reports that a call gets no answer. @param agoMs how long ago the call began. */
function silence(agoMs = 0): void {
  connection.silent(now - agoMs);
}

it('attempts are short from a silence on, until there is an answer', () => {
  expect(connection.patience(ATTEMPT_MS)).toBe(ATTEMPT_MS);
  silence();
  expect(connection.patience(ATTEMPT_MS)).toBe(1_000);
  now += 100;
  connection.answered(now);
  expect(connection.patience(ATTEMPT_MS)).toBe(ATTEMPT_MS);
});

it('an answer to a call from before says nothing of the connection that there is', () => {
  silence();
  now += 100;
  connection.answered(now - 200);
  expect(connection.patience(ATTEMPT_MS)).toBe(1_000);
});

it('attempts are short for as long as an election takes only, however long the silence is', () => {
  for (let seconds = 0; seconds < 10; seconds += 1) {
    silence();
    expect(connection.patience(ATTEMPT_MS)).toBe(1_000);
    now += 1_000;
  }
  silence();
  expect(connection.patience(ATTEMPT_MS)).toBe(ATTEMPT_MS);
});

it('the leader is looked for once for all calls that began before', () => {
  for (let call = 0; call < 10; call += 1) silence(ATTEMPT_MS - call);
  expect(silences).toBe(1);
  now += 1_000;
  silence(500);
  expect(silences).toBe(2);
});
