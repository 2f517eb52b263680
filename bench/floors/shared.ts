import type { IncomingHttpHeaders } from 'node:http';
import { Pool } from 'pg';
import { z } from 'zod';

/** Port and database of the floors, and the surrogate keys of the records that `tenant.ts` creates. */
export const settings = z
  .object({
    PORT: z.coerce.number(),
    BENCH_DATABASE_URL: z.string(),
    BENCH_KEY: z.string(),
    BENCH_ORGANIZATION: z.string(),
    BENCH_DOCUMENT: z.string(),
    BENCH_USER: z.string(),
  })
  .parse(process.env);

export const pool = new Pool({
  connectionString: settings.BENCH_DATABASE_URL,
  max: 10,
  application_name: 'bench-floor',
  // Like Steward's connections: otherwise PostgreSQL plans statements with many joins again for each call.
  options: '-c enable_seqscan=off -c plan_cache_mode=force_generic_plan',
});

/** Handles the requests of one path of the floors' server. */
export type Handler = (body: unknown, headers: IncomingHttpHeaders) => Promise<object>;

export const text = z.string().min(1).max(1_000);
