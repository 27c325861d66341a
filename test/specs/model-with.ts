import type { ReadModel } from '../../src/read-store/read-store.js';

/** A read model of which some parts behave otherwise. */
export function modelWith(model: ReadModel, otherwise: Partial<ReadModel>): ReadModel {
  return {
    generation: model.generation,
    version: model.version,
    isShared: model.isShared,
    takeTurn: () => model.takeTurn(),
    giveUpTurn: () => model.giveUpTurn(),
    isSuperseded: () => model.isSuperseded(),
    successor: () => model.successor(),
    scan: (collection, after, limit) => model.scan(collection, after, limit),
    checkpoint: () => model.checkpoint(),
    get: (collection, key) => model.get(collection, key),
    getMany: (collection, keys) => model.getMany(collection, keys),
    find: (collection, range) => model.find(collection, range),
    findPart: (collection, range, bytes) => model.findPart(collection, range, bytes),
    snapshot: (read) => model.snapshot(read),
    finishReplay: (signal) => model.finishReplay(signal),
    write: (writes, from, to) => model.write(writes, from, to),
    ...otherwise,
  };
}
