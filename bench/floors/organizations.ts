import { z } from 'zod';
import { organizationsStatement } from '../statements.ts';
import { authenticate } from './credentials.ts';
import { pool, settings, text, type Handler } from './shared.ts';

const call = z.object({ data: z.object({ organizationIds: z.array(text).min(1).max(30) }) });

const statement = await organizationsStatement();

/** Returns the rows without checking credentials. */
export const readRows: Handler = async (body) => {
  const { data } = call.parse(body);
  const { rows } = await pool.query<object>({
    name: 'organizations',
    text: statement,
    values: [settings.BENCH_KEY, data.organizationIds],
  });
  return { result: { status: 'success', message: 'Organization(s) retrieved successfully.', data: rows } };
};

export const readOrganizations: Handler = async (body, headers) => {
  await authenticate(headers);
  return await readRows(body, headers);
};
