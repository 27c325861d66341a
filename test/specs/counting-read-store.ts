import type {
  NextGeneration,
  Part,
  Range,
  ReadModel,
  ReadModelDefinition,
  ReadStore,
  ReadView,
} from '../../src/read-store/read-store.js';

/** A read store that counts the ranges of indexes that were read, and the documents in them. */
export class CountingReadStore implements ReadStore {
  rangesRead = 0;
  documentsRead = 0;

  constructor(private readonly store: ReadStore) {}

  readModel(definition: ReadModelDefinition): ReadModel {
    const model = this.store.readModel(definition);
    return new Proxy(model, {
      get: (target, property) => {
        if (property === 'snapshot') {
          return <Result>(read: (view: ReadView) => Promise<Result>): Promise<Result> =>
            target.snapshot((view) => read(this.#counting(view)));
        }
        const value: unknown = Reflect.get(target, property, target);
        return typeof value === 'function' ? (value.bind(target) as unknown) : value;
      },
    });
  }

  fill(definition: ReadModelDefinition): Promise<NextGeneration> {
    return this.store.fill(definition);
  }

  isFilling(definition: ReadModelDefinition): Promise<boolean> {
    return this.store.isFilling(definition);
  }

  ping(): Promise<void> {
    return this.store.ping();
  }

  close(): Promise<void> {
    return this.store.close();
  }

  #counting(view: ReadView): ReadView {
    return {
      checkpoint: () => view.checkpoint(),
      get: (collection, key) => view.get(collection, key),
      getMany: (collection, keys) => view.getMany(collection, keys),
      scan: (collection, after, limit) => view.scan(collection, after, limit),
      find: async <Kept extends object>(collection: string, range: Range): Promise<Kept[]> => {
        const found = await view.find<Kept>(collection, range);
        this.rangesRead += 1;
        this.documentsRead += found.length;
        return found;
      },
      findPart: async <Kept extends object>(
        collection: string,
        range: Range,
        bytes: number,
      ): Promise<Part<Kept>> => {
        const part = await view.findPart<Kept>(collection, range, bytes);
        this.rangesRead += 1;
        this.documentsRead += part.documents.length;
        return part;
      },
    };
  }
}
