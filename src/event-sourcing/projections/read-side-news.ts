import { Logger } from '@nestjs/common';
import type { ReadSideState } from './read-side-state.js';

/** What an operator should know of a read side. */
export type ReadSideNews =
  | { readonly kind: 'stuck' | 'stalled'; readonly error: unknown }
  | { readonly kind: 'goes-on' }
  | { readonly kind: 'switched'; readonly generation: number }
  | { readonly kind: 'degraded'; readonly problem: string };

/** Finds out what is news. A fault that recurs, perhaps for hours, is news only once. */
export class NewsOfReadSide {
  /** The kind of the fault that was told last; null once the read side is live again. */
  #toldFault: string | null = null;

  constructor(private readonly tell: (news: ReadSideNews) => void) {}

  changed(before: ReadSideState, now: ReadSideState): void {
    const { generation, phase, fault, parked } = now;
    if (before.generation !== null && generation !== before.generation) {
      const problem = 'it was dropped, and is folded anew';
      this.tell(
        generation === null ? { kind: 'degraded', problem } : { kind: 'switched', generation },
      );
    }
    if (phase === 'stuck' || phase === 'stalled') {
      const kind = kindOfFault(now);
      if (this.#toldFault !== kind) this.tell({ kind: phase, error: fault });
      this.#toldFault = kind;
    } else if (phase === 'live' && this.#toldFault !== null) {
      this.#toldFault = null;
      this.tell({ kind: 'goes-on' });
    }
    if (parked > 0 && parked !== before.parked)
      this.tell({ kind: 'degraded', problem: parkedAccounts(parked) });
  }
}

/** Returns the part of a fault that stays the same while it recurs. Times and positions differ. */
function kindOfFault({ phase, fault }: ReadSideState): string {
  if (phase === 'stalled') return phase;
  const part = fault instanceof Error && 'part' in fault ? fault.part : undefined;
  return typeof part === 'string' ? part : String(fault);
}

export function parkedAccounts(count: number): string {
  return `${count} ${count === 1 ? 'account is' : 'accounts are'} parked at an event that cannot be read`;
}

const logger = new Logger('projections');

/** Writes news of a read side to the log of the service. */
export function logNews(name: string, news: ReadSideNews): void {
  const about = { read_side: name };
  switch (news.kind) {
    case 'stuck':
    case 'stalled':
      logger.error({ msg: `read side ${name} is ${news.kind}`, ...about, err: news.error });
      return;
    case 'goes-on':
      logger.log({ msg: `read side ${name} continues`, ...about });
      return;
    case 'switched': {
      const { generation } = news;
      const msg = `read side ${name} is read from generation ${generation}, which was rebuilt`;
      logger.log({ msg, ...about, generation });
      return;
    }
    case 'degraded':
      logger.error({ msg: `read side ${name}: ${news.problem}`, ...about });
      return;
  }
}
