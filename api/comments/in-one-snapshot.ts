import { inSnapshot, type EntityManager } from '../../platform/database/orm.ts';
import type { PageReader } from '../http/response/page-reader.ts';

/** Reads each piece in one snapshot: annotations, their comments and their reactions are of one moment. */
export const inOneSnapshot =
  <Item>(
    em: EntityManager,
    read: (em: EntityManager, ...piece: Parameters<PageReader<Item>>) => ReturnType<PageReader<Item>>,
  ): PageReader<Item> =>
  async (position, limit) =>
    inSnapshot(em, async (own) => read(own, position, limit));
