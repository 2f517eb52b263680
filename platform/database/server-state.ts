import { sql } from 'kysely';
import type { EntityManager } from './orm.ts';
import { kyselyOf } from './statements.ts';

/** The server of a connection. */
export interface ServerState {
  /** E.g. `18.4`. */
  readonly version: string;
  /** E.g. 180004. */
  readonly versionNumber: number;
  /** E.g. `UTF8`. */
  readonly encoding: string;
  readonly time: Date;
}

export async function readServerState(em: EntityManager): Promise<ServerState> {
  const { rows } = await sql<ServerState>`select current_setting('server_version') as version,
    current_setting('server_version_num')::int as "versionNumber", current_setting('server_encoding') as encoding,
    clock_timestamp() as time`.execute(kyselyOf(em));
  const [state] = rows;
  if (state === undefined) throw new Error('missing row with the state of the server');
  return state;
}
