import { migrateDatabase } from '../../../../platform/database/migrate.ts';
import { migrations } from '../../../../platform/database/migrations/list.ts';
import { uniqueIndex } from './lists.ts';

/* A process that builds the index of `uniqueIndex` until a test kills it. */
await migrateDatabase(process.argv[2] ?? '', undefined, { list: [...migrations, ...uniqueIndex] });
