import { inSnapshot, type EntityManager } from '../../platform/database/orm.ts';
import type { PageReader } from '../http/response/page-reader.ts';

/** Reads each chunk of a response in one snapshot, so that annotations, comments and reactions are consistent. */
export const inOneSnapshot =
  <Item>(
    em: EntityManager,
    read: (em: EntityManager, ...piece: Parameters<PageReader<Item>>) => ReturnType<PageReader<Item>>,
  ): PageReader<Item> =>
  async (position, limit) =>
    inSnapshot(em, async (own) => read(own, position, limit));
