import { Inject, Injectable } from '@nestjs/common';
import { READ_STORE, type ReadModel, type ReadStore } from '../../read-store/read-store.js';
import type { Key } from '../domain/key.js';
import { keyDirectory } from './key-directory.projection.js';

/** Reads of the key directory. */
@Injectable()
export class KeyDirectory {
  readonly #model: ReadModel;

  constructor(@Inject(READ_STORE) store: ReadStore) {
    this.#model = store.readModel(keyDirectory);
  }

  /** A key from what is projected already: for authentication, which has its own patience. */
  async projectedKey(hash: string): Promise<Key | undefined> {
    return (await this.#model.get<Key>('keys', hash))?.document;
  }
}
