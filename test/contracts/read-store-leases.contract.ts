import { describe, expect, it } from '@jest/globals';
import type { ReadStore } from '../../src/event-sourcing/read-store/read-store.js';
import { eventually } from '../support/harness/eventually.js';
import type { OpenedStore } from './opened-store.js';

const LEASE = 'things.00000000.fold';
const FOR_MS = 600;
/** The longest wait after a crash of the holder, with a lease of 600 ms. */
const PASSED_ON_WITHIN_MS = 2_000;
const LONG_MS = 60_000;

/** Asks for a lease. Without `done`, the holder has made progress each time. */
type Asks = (store: ReadStore, holder: string, forMs?: number, done?: string) => Promise<boolean>;

function asking(): Asks {
  let progress = 0;
  return async (store, holder, forMs = LONG_MS, done) =>
    (await store.lease(LEASE, holder, done ?? `progress ${++progress}`, forMs)).isHeld;
}

/** The guarantees of leases in every read store. @param opened an empty store. */
export function leasesContract(opened: () => OpenedStore): void {
  describe('as the keeper of leases', () => {
    const both = async (): Promise<[ReadStore, ReadStore]> => [
      opened().store,
      await opened().another(),
    ];
    const asks = asking();

    it('gives a lease to one holder at a time, who keeps it by asking again', async () => {
      const [one, other] = await both();
      expect(await asks(one, 'one')).toBe(true);
      expect(await asks(other, 'other')).toBe(false);
      expect(await asks(one, 'one')).toBe(true);
      expect(await asks(other, 'other')).toBe(false);
      expect((await other.lease('others.00000000.fold', 'other', '', LONG_MS)).isHeld).toBe(true);
    });

    it('gives it to one of those who ask at the same time', async () => {
      const [one, other] = await both();
      const asked = await Promise.all([asks(one, 'one'), asks(other, 'other')]);
      expect(asked.filter((isHeld) => isHeld)).toHaveLength(1);
    });

    it('passes it on at once when its holder gives it up, and when nobody else does', async () => {
      const [one, other] = await both();
      await asks(one, 'one');
      await other.release(LEASE, 'other');
      expect(await asks(other, 'other')).toBe(false);
      await one.release(LEASE, 'one');
      expect(await asks(other, 'other')).toBe(true);
      await one.release(LEASE, 'one');
      expect(await asks(one, 'one')).toBe(false);
    });

    it('leaves it with a sole holder, whose progress stands still for want of work', async () => {
      const { store } = opened();
      const began = performance.now();
      while (performance.now() - began < 2 * FOR_MS) {
        expect(await asks(store, 'one', FOR_MS, 'done')).toBe(true);
      }
    });
  });
}

/**
 * The guarantees of leases in a store on a server, whose holders may end without notice.
 * @param opened an empty store.
 */
export function sharedLeasesContract(opened: () => OpenedStore): void {
  describe('as the keeper of leases of several machines', () => {
    const both = async (): Promise<[ReadStore, ReadStore]> => [
      opened().store,
      await opened().another(),
    ];
    const asks = asking();

    it('passes it on within 2 s when its holder crashed, and not before its time', async () => {
      const [one, other] = await both();
      expect(await asks(one, 'one', FOR_MS)).toBe(true);
      const began = performance.now();
      expect(await asks(other, 'other', FOR_MS)).toBe(false);
      await eventually('the other has it', () => asks(other, 'other', FOR_MS), LONG_MS / 4);
      const tookMs = performance.now() - began;
      expect(tookMs).toBeGreaterThanOrEqual(FOR_MS);
      expect(tookMs).toBeLessThan(PASSED_ON_WITHIN_MS);
      expect(await asks(one, 'one', FOR_MS)).toBe(false);
    });

    it('leaves it with a holder whose progress moves, for longer than it lasts by itself', async () => {
      const [one, other] = await both();
      const began = performance.now();
      while (performance.now() - began < 2 * FOR_MS) {
        expect(await asks(one, 'one', FOR_MS)).toBe(true);
        expect(await asks(other, 'other', FOR_MS)).toBe(false);
      }
    });

    it('tells who asks in vain what its holder told last', async () => {
      const [one, other] = await both();
      for (const told of ['live', 'stuck']) {
        await asks(one, 'one', LONG_MS, told);
        const lease = await other.lease(LEASE, 'other', 'idle', LONG_MS);
        expect(lease).toEqual({ isHeld: false, progress: told });
      }
    });

    it('passes it on from a holder whose progress stands still, however often that asks', async () => {
      const [one, other] = await both();
      expect(await asks(one, 'one', FOR_MS, 'stuck')).toBe(true);
      const taken = async (): Promise<boolean> => {
        await asks(one, 'one', FOR_MS, 'stuck');
        return asks(other, 'other', FOR_MS);
      };
      await eventually('the other has it', taken, LONG_MS / 4);
      expect(await asks(one, 'one', FOR_MS, 'stuck')).toBe(false);
    });
  });
}
