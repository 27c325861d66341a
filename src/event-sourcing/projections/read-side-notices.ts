import { Logger } from '@nestjs/common';
import type { ReadSideState } from './read-side-state.js';

export type ReadSideNotice =
  | { readonly kind: 'stuck' | 'stalled'; readonly error: unknown }
  | { readonly kind: 'goes-on' }
  | { readonly kind: 'switched'; readonly generation: number }
  | { readonly kind: 'degraded'; readonly problem: string };

/** Notifies of what has changed; once only of a fault that recurs, perhaps for hours. */
export class ReadSideNotices {
  /** The kind of the fault that was reported last; null once the read side is live again. */
  #reportedFault: string | null = null;

  constructor(private readonly notify: (notice: ReadSideNotice) => void) {}

  notifyOf(before: ReadSideState, now: ReadSideState): void {
    const { generation, phase, fault, parked } = now;
    if (before.generation !== null && generation !== before.generation) {
      const problem = 'they were dropped, and are being rebuilt';
      this.notify(
        generation === null ? { kind: 'degraded', problem } : { kind: 'switched', generation },
      );
    }
    if (phase === 'stuck' || phase === 'stalled') {
      const kind = kindOfFault(now);
      if (this.#reportedFault !== kind) this.notify({ kind: phase, error: fault });
      this.#reportedFault = kind;
    } else if (phase === 'live' && this.#reportedFault !== null) {
      this.#reportedFault = null;
      this.notify({ kind: 'goes-on' });
    }
    if (parked > 0 && parked !== before.parked)
      this.notify({ kind: 'degraded', problem: problemOfParked(parked) });
  }
}

/** Returns the part of a fault that stays the same while it recurs. Times and positions differ. */
function kindOfFault({ phase, fault }: ReadSideState): string {
  if (phase === 'stalled') return phase;
  const part = fault instanceof Error && 'part' in fault ? fault.part : undefined;
  return typeof part === 'string' ? part : String(fault);
}

export function problemOfParked(count: number): string {
  const whose = count === 1 ? '1 account' : `${count} accounts`;
  return `they are stopped for ${whose}, because an event cannot be read`;
}

const logger = new Logger('projections');

/** Writes a notice about a read side to the log output. */
export function logNotice(name: string, notice: ReadSideNotice): void {
  const about = { read_models: name };
  const models = `read models of ${name}`;
  switch (notice.kind) {
    case 'stuck':
    case 'stalled':
      logger.error({ msg: `${models} are ${notice.kind}`, ...about, err: notice.error });
      return;
    case 'goes-on':
      logger.log({ msg: `${models} continue`, ...about });
      return;
    case 'switched': {
      const { generation } = notice;
      const msg = `${models} are read from generation ${generation}, which was rebuilt`;
      logger.log({ msg, ...about, generation });
      return;
    }
    case 'degraded':
      logger.error({ msg: `${models}: ${notice.problem}`, ...about });
      return;
  }
}
