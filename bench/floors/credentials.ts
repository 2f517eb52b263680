import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { credentialStatement } from '../statements.ts';
import { pool } from './shared.ts';

const credentials = await credentialStatement();

const sha256 = (secret: unknown): Buffer => createHash('sha256').update(String(secret)).digest();

/** Runs the statement by which Steward authenticates. Returns the surrogate key of the API key. */
export async function authenticate(headers: IncomingHttpHeaders): Promise<string> {
  const { rows } = await pool.query<{ id: string }>({
    name: 'credentials',
    text: credentials,
    values: [sha256(headers['x-svc-auth-token']), sha256(headers['x-svc-api-key'])],
  });
  const [key] = rows;
  if (key === undefined) throw new Error('Wrong credentials.');
  return key.id;
}
