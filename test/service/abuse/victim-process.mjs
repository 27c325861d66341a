import { Agent, request } from 'node:http';
import { performance } from 'node:perf_hooks';
import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';

// The victim is a process of its own, so that only the service can delay it. It prints a line and
// asks at a fixed rate until its standard input ends. Then it prints the time of each answer.
const { ADDRESS, KEY, VERIFIES, VERIFIES_ONCE, READS, EVERY_MS } = process.env;
const FIRST = 100;
const SOCKETS = 16;
const TIMEOUT_MS = 10_000;
const agent = new Agent({ keepAlive: true, maxSockets: SOCKETS });
const latencies = [];
const faults = [];
let made = 0;

function ask(method, path, body, headers = {}) {
  const began = performance.now();
  return new Promise((resolve) => {
    const fail = (fault) => {
      faults.push(`${method} ${path}: ${fault}`);
      resolve();
    };
    const sent = request(
      `${ADDRESS}${path}`,
      {
        method,
        agent,
        timeout: TIMEOUT_MS,
        headers: { authorization: `Bearer ${KEY}`, ...headers },
      },
      (answer) => {
        answer.resume();
        answer.on('error', fail);
        answer.on('end', () => {
          latencies.push(performance.now() - began);
          if (answer.statusCode >= 400) fail(answer.statusCode);
          resolve();
        });
      },
    );
    sent.on('timeout', () => sent.destroy(new Error('timed out')));
    sent.on('error', (error) => fail(error.message));
    sent.end(body);
  });
}

const MANAGED = [
  () => ask('GET', '/v1/end-users?limit=10'),
  () => ask('GET', '/v1/keys?limit=10'),
  () => ask('GET', '/v1/key'),
  () => ask('POST', '/v1/end-users', JSON.stringify({ user: `victim-${process.pid}-${++made}` })),
];
const VERIFIED = [
  () => ask('POST', '/v1/keys/verify', JSON.stringify({ key: VERIFIES })),
  () =>
    ask('GET', '/v1/authorize', undefined, {
      authorization: `Bearer ${VERIFIES}`,
      'keyledger-authorization': `Bearer ${KEY}`,
    }),
];
const hashes = VERIFIES_ONCE?.split(' ') ?? [];
let verified = 0;
// When all were verified, it begins again.
const VERIFIED_ONCE = [
  () => {
    const hash = hashes[verified++ % hashes.length];
    return ask('POST', '/v1/keys/verify', JSON.stringify({ hash }));
  },
];
const READ = [() => ask('GET', READS)];

function requests() {
  if (VERIFIES_ONCE) return VERIFIED_ONCE;
  if (READS) return READ;
  return VERIFIES ? VERIFIED : MANAGED;
}

const REQUESTS = requests();

let stopped = false;
process.stdin.on('end', () => (stopped = true)).resume();
// A new process and a new connection are slow by themselves.
for (let turn = 0; turn < FIRST; turn++) await REQUESTS[turn % REQUESTS.length]();
await Promise.all(Array.from({ length: SOCKETS }, REQUESTS[0]));
latencies.length = 0;
process.stdout.write('asking\n');
const underWay = new Set();
for (let turn = 0; !stopped; turn++) {
  const asked = REQUESTS[turn % REQUESTS.length]().finally(() => underWay.delete(asked));
  underWay.add(asked);
  await delay(Number(EVERY_MS));
}
await Promise.all(underWay);
process.stdout.write(JSON.stringify({ latencies, faults: faults.slice(0, 10) }), () =>
  process.exit(0),
);
