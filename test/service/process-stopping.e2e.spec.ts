import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { mintKeyString } from '../../src/kernel/key-string.js';
import { freePort } from '../support/backends/server-process.js';
import { freshBackends } from '../support/harness/backends.js';
import { ConnectingClients } from '../support/harness/connecting-clients.js';
import { errorOf } from '../support/harness/error-of.js';
import { eventually } from '../support/harness/eventually.js';
import { HttpClient } from '../support/harness/http-client.js';
import { madeBy } from '../support/harness/made-by.js';
import { onlyOnLinux } from '../support/harness/only-on.js';
import { openRawConnection, type RawConnection } from '../support/harness/raw-connection.js';
import { type ServiceProcess, startService } from '../support/harness/service-process.js';
import { stageOfEach } from '../support/harness/stage.js';
import {
  beginRegistration,
  type Ended,
  endOf,
  signalStop,
} from '../support/harness/stopping-service.js';
import { storedEvents } from '../support/harness/stored-events.js';

const BODY = JSON.stringify({ user: 'ada' });
const HALF = BODY.length / 2;

describe('a service that gets a signal to stop', () => {
  const { backends, start } = stageOfEach();
  const service = madeBy(beforeEach, () => start());
  let connection: RawConnection;

  afterEach(() => {
    connection.destroy();
  });

  it.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
    'by %s finishes a request in flight, accepts no other and exits with 0',
    async (name) => {
      connection = await beginRegistration(service, BODY, HALF);
      await signalStop(service, name);
      await expect(openRawConnection(service.address)).rejects.toThrow('ECONNREFUSED');
      connection.send(BODY.slice(HALF));
      expect(await service.ended).toBe(0);
      await connection.closed;
      expect(connection.received()).toMatch(/HTTP\/1\.1 201 [^]*"user":"ada"/);
      const registered = (await storedEvents(backends.settings)).filter(
        ({ type }) => type === 'EndUserRegistered',
      );
      expect(registered).toMatchObject([{ data: { user: 'ada' } }]);
    },
  );

  it('exits at once at a second signal, with 1', async () => {
    connection = await beginRegistration(service, BODY, HALF);
    await signalStop(service, 'SIGTERM');
    const begun = performance.now();
    service.child.kill('SIGTERM');
    expect(await service.ended).toBe(1);
    expect(performance.now() - begun).toBeLessThan(2_000);
  });

  it('exits promptly although an idle connection is kept alive', async () => {
    connection = await openRawConnection(service.address);
    connection.send('GET /health/live HTTP/1.1\r\nHost: service\r\n\r\n');
    await eventually('an answer', () => connection.received().includes('live'));
    const begun = performance.now();
    expect(await service.stop()).toBe(0);
    expect(performance.now() - begun).toBeLessThan(3_000);
  });
});

const CLIENTS = 16;
/** How long clients are watched at least. Much shorter than the delay of that test. */
const WATCHED_MS = 1_000;
/** So slow that the body does not end within 10 s. */
const TRICKLE_MS = 2_000;

describe('a service that stops with a SHUTDOWN_DELAY', () => {
  const stage = stageOfEach();
  let service: ServiceProcess;
  let connections: RawConnection[];
  let cutOff: Promise<Ended>;

  // The stop takes ten seconds, and other tests run meanwhile.
  beforeAll(async () => {
    const others = await freshBackends();
    const stopped = await startService({ ...others.settings, SHUTDOWN_DELAY: '5s' });
    const end = endOf(stopped);
    await stopped.logs(/^stopping$/);
    let sent = 1;
    const connection = await beginRegistration(stopped, BODY, sent);
    // A body of which nothing comes for 5 s is refused.
    const trickle = setInterval(() => connection.send(BODY.charAt(sent++)), TRICKLE_MS);
    const stop = async (): Promise<Ended> => {
      try {
        return await end;
      } finally {
        clearInterval(trickle);
        await connection.closed;
        await others.dispose();
      }
    };
    cutOff = stop();
  });

  afterAll(() => cutOff);

  async function start(delay: string): Promise<void> {
    service = await stage.start({ SHUTDOWN_DELAY: delay });
  }

  async function connect(): Promise<RawConnection> {
    const connection = await openRawConnection(service.address);
    connections.push(connection);
    return connection;
  }

  /** Begins a registration and sends only the first character of its body. */
  async function beginOne(): Promise<RawConnection> {
    const connection = await beginRegistration(service, BODY, 1);
    connections.push(connection);
    return connection;
  }

  beforeEach(() => {
    connections = [];
  });

  afterEach(() => {
    for (const connection of connections) connection.destroy();
  });

  it('answers everyone who connects meanwhile, as readiness is red, and only then refuses', async () => {
    await start('5s');
    const url = `${service.address}/v1/end-users`;
    const clients = new ConnectingClients(url, service.managementKey, CLIENTS);
    await eventually('the clients are at it', () => clients.answered > CLIENTS * 10, 20_000);
    const signalled = performance.now();
    await signalStop(service, 'SIGTERM');
    const noticed = performance.now();
    const answeredBefore = clients.answered;
    const wanted = answeredBefore + CLIENTS;
    while (performance.now() < noticed + WATCHED_MS || clients.answered <= wanted) {
      const { metadata } = errorOf(await service.client.get('/health/ready'), 503);
      expect(metadata).toEqual({ missing: [{ part: 'process', problem: 'stopping' }] });
    }
    await clients.stop();
    expect(clients.failures).toEqual([]);
    expect([...clients.answers.keys()]).toEqual([200]);
    expect(await service.ended).toBe(0);
    expect(performance.now() - signalled).toBeGreaterThan(4_900);
    expect(performance.now() - signalled).toBeLessThan(10_000);
    await expect(openRawConnection(service.address)).rejects.toThrow('ECONNREFUSED');
  });

  it('ends each connection with its next answer, and then those that are idle', async () => {
    await start('5s');
    const request = 'GET /health/live HTTP/1.1\r\nHost: service\r\n\r\n';
    const idle = await connect();
    idle.send(request);
    await eventually('an answer', () => idle.received().includes('live'));
    expect(idle.received()).toMatch(/^Connection: keep-alive\r$/m);
    const underWay = await beginOne();
    await signalStop(service, 'SIGTERM');
    idle.send(request);
    underWay.send(BODY.slice(1));
    await Promise.all([idle.closed, underWay.closed]);
    expect(idle.received()).toMatch(/^Connection: close\r$/m);
    expect(idle.received().match(/HTTP\/1\.1 200/g)).toHaveLength(2);
    expect(underWay.received()).toMatch(/HTTP\/1\.1 201/);
  });

  it('exits at once at a second signal, with 1', async () => {
    await start('5s');
    await signalStop(service, 'SIGTERM');
    const begun = performance.now();
    expect(await service.stop()).toBe(1);
    expect(performance.now() - begun).toBeLessThan(2_000);
  });

  it('does not wait when it is stopped from a terminal, by SIGINT', async () => {
    await start('5s');
    const begun = performance.now();
    expect(await service.stop('SIGINT')).toBe(0);
    expect(performance.now() - begun).toBeLessThan(3_000);
  });

  it('cuts off 10 s after the signal what never finishes, the delay included', async () => {
    const { code, seconds } = await cutOff;
    expect(code).toBe(0);
    expect(seconds).toBeGreaterThan(9);
    expect(seconds).toBeLessThan(14);
  });
});

const onLinux = onlyOnLinux('a thread has a priority of its own there alone');

describe('the threads of a service', () => {
  const { start } = stageOfEach();

  onLinux.each([0, 3])(
    'take requests before one of them folds what was written, at a niceness of %i more',
    async (more) => {
      const service = await start({}, ['nice', '-n', String(more)]);
      const pid = String(service.child.pid);
      const tasks = `/proc/${pid}/task`;
      const ofRequests = nicenessOf(`${tasks}/${pid}`);
      const nicer = readdirSync(tasks)
        .map((task) => nicenessOf(`${tasks}/${task}`))
        .filter((niceness) => niceness !== ofRequests);
      expect(nicer).toEqual([1, 2].map(() => Math.min(ofRequests + 4, 19)));
    },
  );
});

/** Gives the 19th field of /proc/…/stat. The second field, in brackets, may contain spaces. */
function nicenessOf(task: string): number {
  const afterName = readFileSync(`${task}/stat`, 'utf8').split(') ').at(-1) ?? '';
  return Number(afterName.split(' ')[16]);
}

const managementKey = mintKeyString('mk-v1-');
/** Enough requests for log lines that fill a pipe of 64 KB three times. */
const REQUESTS = 800;
const AT_ONCE = 50;
const ENDS_WITHIN_MS = 5_000;

describe('a service whose standard output takes nothing', () => {
  const { backends } = stageOfEach();
  let child: ChildProcess | undefined;
  let port: number;

  beforeEach(async () => {
    port = await freePort();
  });

  afterEach(() => {
    child?.kill('SIGKILL');
  });

  function launch(
    command: readonly string[],
    stdout: 'pipe' | number,
    settings = {},
  ): ChildProcess {
    const [program = '', ...args] = command;
    child = spawn(program, args, {
      stdio: ['ignore', stdout, stdout],
      env: {
        PATH: process.env.PATH,
        PORT: String(port),
        BOOTSTRAP_MANAGEMENT_KEY: managementKey,
        ...backends.settings,
        ...settings,
      },
    });
    // A pipe without a listener is never read.
    return child;
  }

  function ready(): Promise<HttpClient> {
    const client = new HttpClient(`http://127.0.0.1:${port}`, managementKey);
    const isReady = async (): Promise<HttpClient | undefined> => {
      const answer = await client.get('/health/ready').catch(() => undefined);
      return answer?.status === 200 ? client : undefined;
    };
    return eventually('the service to be ready', isReady, 20_000);
  }

  async function askOften(client: HttpClient): Promise<number[]> {
    const statuses: number[] = [];
    for (let asked = 0; asked < REQUESTS; asked += AT_ONCE) {
      const asking = Array.from({ length: AT_ONCE }, () => client.get('/v1/end-users?limit=1'));
      statuses.push(...(await Promise.all(asking)).map(({ status }) => status));
    }
    return statuses;
  }

  async function endsAfter(signals: readonly NodeJS.Signals[], pid = child?.pid): Promise<unknown> {
    if (!child || pid === undefined) throw new Error('nothing was launched');
    const closed = once(child, 'exit');
    const began = performance.now();
    for (const signal of signals) process.kill(pid, signal);
    const [code] = (await closed) as [number | null];
    expect(performance.now() - began).toBeLessThan(ENDS_WITHIN_MS);
    return code;
  }

  it('answers all requests and stops in time on a pipe without a reader', async () => {
    launch([process.execPath, 'dist/main.js'], 'pipe');
    const client = await ready();
    expect(new Set(await askOften(client))).toEqual(new Set([200]));
    expect(await endsAfter(['SIGTERM'])).toBe(0);
  }, 60_000);

  it('ends at once at a second signal', async () => {
    launch([process.execPath, 'dist/main.js'], 'pipe', { SHUTDOWN_DELAY: '5s' });
    await askOften(await ready());
    expect(await endsAfter(['SIGTERM', 'SIGINT'])).toBe(1);
  }, 60_000);

  it('answers and stops on a full device, and a start that fails exits with 1', async () => {
    const full = openSync('/dev/full', 'w');
    try {
      launch([process.execPath, 'dist/main.js'], full);
      const client = await ready();
      expect(new Set(await askOften(client))).toEqual(new Set([200]));
      expect(await endsAfter(['SIGTERM'])).toBe(0);
      launch([process.execPath, 'dist/main.js'], full, { PORT: 'none' });
      expect(await endsAfter([])).toBe(1);
    } finally {
      closeSync(full);
    }
  }, 60_000);

  it('answers and stops on a terminal that was suspended', async () => {
    // `script` gives the service a terminal, and stops reading it when its own output is not read.
    const command = `exec ${process.execPath} dist/main.js`;
    const terminal = launch(
      ['script', '--quiet', '--return', '--command', command, '/dev/null'],
      'pipe',
    );
    const client = await ready();
    expect(new Set(await askOften(client))).toEqual(new Set([200]));
    const { stdout } = await eventually('the service below the terminal', () =>
      serviceOf(terminal),
    );
    process.kill(Number(stdout), 'SIGTERM');
    const ended = async (): Promise<boolean> =>
      client.get('/health/live').then(
        () => false,
        () => !isAlive(Number(stdout)),
      );
    expect(await eventually('the end of the service', ended, ENDS_WITHIN_MS)).toBe(true);
  }, 60_000);
});

async function serviceOf({ pid }: ChildProcess): Promise<{ stdout: string } | undefined> {
  const ps = spawn('ps', ['-o', 'pid=', '--ppid', String(pid)], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let stdout = '';
  ps.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  await once(ps, 'close');
  return stdout.trim() === '' ? undefined : { stdout: stdout.trim() };
}

/** Whether a process runs. A zombie does not count. */
function isAlive(pid: number): boolean {
  try {
    const [, state] = /\) (\w)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? [];
    return state !== 'Z';
  } catch {
    return false;
  }
}
