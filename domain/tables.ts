import type { InferKyselyDB, Kysely } from '@mikro-orm/postgresql';
import type { EntityManager } from '../platform/database/orm.ts';
import { kyselyOf } from '../platform/database/statements.ts';
import type { entities } from './entities.ts';

/** Every table and its columns, named as in the database. */
export type Tables = InferKyselyDB<(typeof entities)[number]>;

/** Query builder with typed tables, in the transaction of `em` if it has one. */
export const tablesOf = (em: EntityManager): Kysely<Tables> => kyselyOf<Tables>(em);
