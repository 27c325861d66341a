import type {
  Namespace,
  ReadStore,
  View,
} from '../../../src/event-sourcing/read-store/read-store.js';

/** A read store with some parts replaced. */
export function storeWith(store: ReadStore, otherwise: Partial<ReadStore>): ReadStore {
  return {
    isShared: store.isShared,
    namespace: (...args) => store.namespace(...args),
    namespaces: () => store.namespaces(),
    drop: (name) => store.drop(name),
    lease: (...args) => store.lease(...args),
    release: (...args) => store.release(...args),
    ping: () => store.ping(),
    close: () => store.close(),
    ...otherwise,
  };
}

/** A namespace with some parts replaced. */
export function namespaceWith(namespace: Namespace, otherwise: Partial<Namespace>): Namespace {
  return {
    checkpoint: () => namespace.checkpoint(),
    read: (...args) => namespace.read(...args),
    write: (...args) => namespace.write(...args),
    settle: (signal) => namespace.settle(signal),
    serve: () => namespace.serve(),
    close: () => namespace.close(),
    ...otherwise,
  };
}

/** A view with some parts replaced. */
export function viewWith(view: View, otherwise: Partial<View>): View {
  return {
    checkpoint: view.checkpoint,
    get: (collection, key) => view.get(collection, key),
    getMany: (collection, keys) => view.getMany(collection, keys),
    range: (collection, range) => view.range(collection, range),
    records: (collection, range) => view.records(collection, range),
    count: (collection, part) => view.count(collection, part),
    scan: (collection, after, limit) => view.scan(collection, after, limit),
    ...otherwise,
  };
}
