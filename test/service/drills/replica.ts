import { HttpClient } from '../../support/harness/http-client.js';
import { type LaunchedService, launchService } from '../../support/harness/service-process.js';
import { eventually } from '../../support/harness/eventually.js';
import { type Scrape, scrape } from '../../support/harness/exposed-metrics.js';

const LISTENING_WITHIN_MS = 30_000;
const READY_WITHIN_MS = 60_000;
const COMPLAINTS = 20;
const LONGEST_COMPLAINT = 400;

interface Span {
  readonly from: number;
  to: number;
}

/** A process of the service, with a record of the faults that it was given. */
export class Replica {
  readonly address: string;
  readonly client: HttpClient;
  #process: LaunchedService | undefined;
  /**
   * Spans of time by the clock of `performance.now`. A span that has not ended ends at infinity.
   */
  readonly #frozen: Span[] = [];
  readonly #down: Span[] = [];

  constructor(
    readonly name: string,
    private readonly settings: Readonly<Record<string, string>>,
    private readonly port: number,
    managementKey: string,
  ) {
    this.address = `http://127.0.0.1:${port}`;
    this.client = new HttpClient(this.address, managementKey);
  }

  /** The last log lines with the level `warn` or higher. */
  get complaints(): string[] {
    const lines = this.output.split('\n').filter((line) => /"level":[4-6]0/.test(line));
    return lines
      .slice(-COMPLAINTS)
      .map((line) => `${this.name}: ${line.slice(0, LONGEST_COMPLAINT)}`);
  }

  get output(): string {
    return this.#process?.output() ?? '';
  }

  /** The id of its process, which changes with a restart. */
  get pid(): number {
    return this.#process?.child.pid ?? 0;
  }

  get isRunning(): boolean {
    return this.#process !== undefined && this.#process.child.exitCode === null;
  }

  /** Starts the process. It may be ready much later. */
  launch(): void {
    this.#process = launchService({ ...this.settings, PORT: String(this.port) });
  }

  async ready(withinMs = READY_WITHIN_MS): Promise<void> {
    let last = 'no answer';
    const look = async (): Promise<boolean> => {
      if (!this.isRunning) throw new Error(`${this.name} ended:\n${this.output}`);
      const answer = await this.client.get('/health/ready').catch(() => undefined);
      if (answer) last = answer.text;
      return answer?.status === 200;
    };
    await eventually(`${this.name} is ready`, look, withinMs).catch((error: unknown) => {
      throw new Error(`${String(error)}; it says ${last}`);
    });
    end(this.#down);
  }

  /** Waits until the process answers at all, ready or not. */
  async listening(): Promise<void> {
    await eventually(
      `${this.name} listens`,
      async () => {
        if (!this.isRunning) throw new Error(`${this.name} ended:\n${this.output}`);
        const answer = await this.client.get('/health/live').catch(() => undefined);
        return answer?.status === 200;
      },
      LISTENING_WITHIN_MS,
    );
    end(this.#down);
  }

  async kill(): Promise<void> {
    begin(this.#down);
    await this.#process?.stop('SIGKILL');
  }

  /** @returns the exit code. */
  async stop(): Promise<number | null> {
    begin(this.#down);
    return (await this.#process?.stop()) ?? null;
  }

  freeze(): void {
    this.#process?.child.kill('SIGSTOP');
    begin(this.#frozen);
  }

  thaw(): void {
    this.#process?.child.kill('SIGCONT');
    end(this.#frozen);
  }

  /** Gives how long the replica was frozen within a span of time, in milliseconds. */
  frozenWithin(from: number, to: number): number {
    return this.#frozen.reduce((sum, span) => sum + overlap(span, { from, to }), 0);
  }

  wasDownWithin(from: number, to: number): boolean {
    return this.#down.some((span) => span.from <= to && span.to >= from);
  }

  metrics(): Promise<Scrape> {
    return scrape(this.client);
  }
}

function begin(spans: Span[]): void {
  spans.push({ from: performance.now(), to: Infinity });
}

function end(spans: Span[]): void {
  const last = spans.at(-1);
  if (last?.to === Infinity) last.to = performance.now();
}

function overlap(a: Span, b: Span): number {
  return Math.max(0, Math.min(a.to, b.to) - Math.max(a.from, b.from));
}
