import { Unavailable } from '../../../kernel/errors.js';
import { type Position, START } from '../../../kernel/position.js';
import type { Subject } from '../../keys/domain/limit.js';
import { type Counting, countedOfDay } from '../domain/spent-toward-limit.js';
import type { AddedUsage, Day } from '../domain/subject-usage.js';
import type { NanoUsd } from '../../../kernel/usd.js';

/** The data of an event of usage that memory needs. */
export interface RecentReport {
  readonly account_id: string;
  /** The number of its records. */
  readonly accepted: number;
  readonly added: readonly AddedUsage[];
}

/** The sum of a subject in one event on one day. Its sums in a block are linked, to save memory. */
interface Sum {
  readonly position: Position;
  readonly day: string;
  readonly usage: NanoUsd;
  readonly byok_usage: NanoUsd;
  readonly before: Sum | undefined;
}

/** Neighbouring events of an account, which are let go together. */
interface Block {
  to: Position;
  records: number;
  sums: number;
  readonly ofSubjects: Map<Subject, Sum>;
}

interface Account {
  readonly blocks: Block[];
  /** The sums up to this position were removed, because memory had too many. */
  lostTo: Position;
  /** The records that the fold has passed over since the account was parked. */
  passedOver: number;
}

/** The most sums in memory, some 250 bytes each. Beyond, the account with most loses its own. */
const MOST_SUMS = 250_000;
/** A block with at least as many records is full. */
const FULL_BLOCK = 500;

/** The usage reported since the read models' checkpoint: sums, and numbers of records. */
export class RecentUsage {
  readonly #accounts = new Map<string, Account>();
  readonly #reads = new Set<{ readonly from: Position }>();
  #from = START;
  #sums = 0;
  #parked: ReadonlySet<string> = new Set();

  constructor(private readonly mostSums = MOST_SUMS) {}

  /** The records since the checkpoint, without those of parked accounts. */
  get records(): number {
    let records = 0;
    for (const id of this.#accounts.keys()) if (!this.isParked(id)) records += this.recordsOf(id);
    return records;
  }

  /** The records of an account since the checkpoint, or since it was parked. */
  recordsOf(accountId: string): number {
    const { blocks, passedOver } = this.#accounts.get(accountId) ?? { blocks: [], passedOver: 0 };
    return blocks.reduce((sum, { records }) => sum + records, passedOver);
  }

  /** The last event of an account that may not be folded yet. */
  endOf(accountId: string): Position {
    const { blocks } = this.#accounts.get(accountId) ?? { blocks: [] };
    return blocks.reduce((end, { to }) => (to > end ? to : end), this.#from);
  }

  isParked(accountId: string): boolean {
    return this.#parked.has(accountId);
  }

  set parked(accountIds: ReadonlySet<string>) {
    this.#parked = accountIds;
  }

  /** Forgets everything. From now on, events after the position are added. */
  beginAt(position: Position): void {
    this.#accounts.clear();
    this.#sums = 0;
    this.#from = position;
  }

  /** Adds an event. Events may come in any order, each of them once. */
  add(position: Position, { account_id, accepted, added }: RecentReport): void {
    const block = this.#blockOf(account_id);
    if (position > block.to) block.to = position;
    block.records += accepted;
    const before = block.sums;
    for (const { subject, days } of added) {
      for (const day of days) addSum(block, subject, position, day);
    }
    this.#sums += block.sums - before;
    while (this.#sums > this.mostSums) this.#loseGreatest();
  }

  /** Lets go of what the read models folded, unless a read under way may have begun before. */
  letGo(folded: Position): void {
    let to = folded;
    for (const { from } of this.#reads) if (from < to) to = from;
    if (to <= this.#from) return;
    this.#from = to;
    for (const [id, account] of this.#accounts) {
      for (let [first] = account.blocks; first && first.to <= to; [first] = account.blocks) {
        account.blocks.shift();
        account.passedOver += first.records;
        this.#sums -= first.sums;
      }
      if (this.isParked(id)) continue;
      account.passedOver = 0;
      if (account.blocks.length === 0) this.#accounts.delete(id);
    }
  }

  /** Begins a read of documents: sums after their checkpoint stay. @returns ends the read. */
  beginRead(): () => void {
    const read = { from: this.#from };
    this.#reads.add(read);
    return () => this.#reads.delete(read);
  }

  /** Sums up reports of a subject after a checkpoint. @throws Unavailable if memory lacks some. */
  spentAfter(
    checkpoint: Position,
    accountId: string,
    subject: Subject,
    counting: Counting,
  ): NanoUsd {
    const { blocks, lostTo } = this.#accounts.get(accountId) ?? { blocks: [], lostTo: START };
    if (checkpoint < this.#from || checkpoint < lostTo) {
      throw new Unavailable(
        'read models of usage',
        'more was reported since their checkpoint than memory holds',
      );
    }
    let spent = 0n;
    for (const { to, ofSubjects } of blocks) {
      if (to <= checkpoint) continue;
      for (let sum = ofSubjects.get(subject); sum; sum = sum.before)
        if (sum.position > checkpoint) spent += countedOfDay(sum.day, counting, sum);
    }
    return spent;
  }

  #blockOf(accountId: string): Block {
    let account = this.#accounts.get(accountId);
    if (!account) {
      account = { blocks: [], lostTo: START, passedOver: 0 };
      this.#accounts.set(accountId, account);
    }
    const last = account.blocks.at(-1);
    if (last && last.records < FULL_BLOCK) return last;
    const block = { to: START, records: 0, sums: 0, ofSubjects: new Map<Subject, Sum>() };
    account.blocks.push(block);
    return block;
  }

  #loseGreatest(): void {
    let [greatest, most] = [undefined as Account | undefined, 0];
    for (const account of this.#accounts.values()) {
      const sums = account.blocks.reduce((sum, block) => sum + block.sums, 0);
      if (sums > most) [greatest, most] = [account, sums];
    }
    this.#sums -= most;
    for (const block of greatest?.blocks ?? []) {
      block.sums = 0;
      block.ofSubjects.clear();
      if (greatest && block.to > greatest.lostTo) greatest.lostTo = block.to;
    }
  }
}

function addSum(
  block: Block,
  subject: Subject,
  position: Position,
  { day, usage, byok_usage }: Day,
): void {
  const before = block.ofSubjects.get(subject);
  const sum = { position, day, usage: BigInt(usage), byok_usage: BigInt(byok_usage), before };
  block.ofSubjects.set(subject, sum);
  block.sums += 1;
}
