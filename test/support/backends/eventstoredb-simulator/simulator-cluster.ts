import { copyFileSync, writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { deposedMark } from './membership.js';
import { SimulatorProcess } from './simulator-process.js';

const MEMBERS = 3;

/**
 * Three simulators whose gossip names one leader. Only the leader has the log. There is no
 * replication: an elected member takes the log file of the leader before.
 */
export class SimulatorCluster {
  private constructor(
    private readonly members: readonly SimulatorProcess[],
    private leader: SimulatorProcess,
  ) {}

  static async start(): Promise<SimulatorCluster> {
    const members = await Promise.all(
      Array.from({ length: MEMBERS }, () => SimulatorProcess.start()),
    );
    const [leader] = members;
    if (!leader) throw new Error('a cluster has members');
    const cluster = new SimulatorCluster(members, leader);
    await cluster.tell(members);
    return cluster;
  }

  get connectionString(): string {
    const hosts = this.members.map(({ port }) => `127.0.0.1:${port}`);
    return `esdb://${hosts.join(',')}?tls=false`;
  }

  /** Freezes the leader. Gossip still names it as the leader until the others elect another one. */
  freezeLeader(): SimulatorProcess {
    this.leader.freeze();
    return this.leader;
  }

  /** Lets the others elect a leader after a delay. Resolves when the new leader leads. */
  async elect(afterMs: number): Promise<void> {
    await delay(afterMs);
    const deposed = this.leader;
    const others = this.members.filter((member) => member !== deposed);
    const [next] = others;
    if (!next) throw new Error('nobody is left to lead');
    // The order matters: writes of the deposed leader after the mark get no answer, and earlier
    // writes are copied.
    writeFileSync(deposedMark(deposed.file), '');
    copyFileSync(deposed.file, next.file);
    this.leader = next;
    await this.tell(others);
  }

  async stop(): Promise<void> {
    await Promise.all(this.members.map((member) => member.stop()));
  }

  private async tell(members: readonly SimulatorProcess[]): Promise<void> {
    const view = { members: this.members.map(({ port }) => port), leader: this.leader.port };
    await Promise.all(members.map((member) => member.join(view)));
  }
}
