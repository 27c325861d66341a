import { EventEmitter } from 'node:events';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { watchHeartbeats } from './heartbeat-watch.js';

const ONE = { connectionId: 'one:27017' };
const OTHER = { connectionId: 'other:27017' };
const LONG_MS = 60_000;

describe('a watch over heartbeats', () => {
  let client: EventEmitter;
  let stuck: number;
  let endWatch: () => void;

  beforeEach(() => {
    jest.useFakeTimers();
    client = new EventEmitter();
    stuck = 0;
    endWatch = watchHeartbeats(client, () => (stuck += 1));
  });

  afterEach(() => {
    endWatch();
    jest.useRealTimers();
  });

  it('tells once of one that never ends, whatever those of other servers do', () => {
    client.emit('serverHeartbeatStarted', ONE);
    client.emit('serverHeartbeatStarted', OTHER);
    client.emit('serverHeartbeatSucceeded', OTHER);
    jest.advanceTimersByTime(LONG_MS);
    expect(stuck).toBe(1);
  });

  it.each(['serverHeartbeatSucceeded', 'serverHeartbeatFailed'])('is content with %s', (end) => {
    client.emit('serverHeartbeatStarted', ONE);
    jest.advanceTimersByTime(3_000);
    client.emit(end, ONE);
    jest.advanceTimersByTime(LONG_MS);
    expect(stuck).toBe(0);
  });

  it('lets a process that stood still hear of the end first', () => {
    client.emit('serverHeartbeatStarted', ONE);
    // All due events now come at once, timers before messages.
    jest.advanceTimersByTime(4_000);
    client.emit('serverHeartbeatSucceeded', ONE);
    jest.advanceTimersByTime(LONG_MS);
    expect(stuck).toBe(0);
  });

  it('tells of nothing once it has ended', () => {
    client.emit('serverHeartbeatStarted', ONE);
    endWatch();
    client.emit('serverHeartbeatStarted', OTHER);
    jest.advanceTimersByTime(LONG_MS);
    expect(stuck).toBe(0);
  });
});
