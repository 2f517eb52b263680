import type { InferKyselyDB, Kysely } from '@mikro-orm/postgresql';
import type { EntityManager } from '../platform/database/orm.ts';
import type { entities } from './entities.ts';

/** Every table and its columns, named as in the database. */
export type Tables = InferKyselyDB<(typeof entities)[number]>;

/**
 * Typed statements, in the transaction of `em` where it has one. Called without options, so that names are the database's and no
 * plugin of MikroORM's visits each statement.
 */
export const tablesOf = (em: EntityManager): Kysely<Tables> => em.getKysely<Tables>();
