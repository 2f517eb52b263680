import { sql } from 'kysely';
import type { EntityManager } from '../../platform/database/orm.ts';
import { randomToken, sha256 } from '../../platform/encryption/tokens.ts';
import { tablesOf } from '../tables.ts';

const codeLifetime = sql.raw(`interval '10 minutes'`);

/** Adds a code for one sign-in to a workspace (`ws_…`) within 10 minutes. Only its hash is stored. */
export async function addSignInCode(em: EntityManager, workspaceId: string): Promise<string> {
  const code = randomToken('code');
  await tablesOf(em)
    .insertInto('console_code')
    .columns(['code_hash', 'workspace_id', 'expires_at'])
    .expression((one) =>
      one
        .selectFrom('workspace')
        .select([
          sql<Buffer>`${sha256(code)}::bytea`.as('code_hash'),
          'id as workspace_id',
          sql<Date>`now() + ${codeLifetime}`.as('expires_at'),
        ])
        .where('public_id', '=', workspaceId),
    )
    .execute();
  return code;
}

/** The workspace of a code, and the hash of its token. */
export interface RedeemedCode {
  readonly id: string;
  readonly workspaceId: string;
  readonly tokenHash: Buffer;
}

/**
 * Redeems a code; of concurrent calls, one succeeds. Undefined for an unknown, used or expired code, or a disabled
 * workspace.
 */
export async function redeemSignInCode(em: EntityManager, code: string): Promise<RedeemedCode | undefined> {
  return tablesOf(em)
    .with('redeemed', (one) =>
      one
        .deleteFrom('console_code')
        .where('code_hash', '=', sha256(code))
        .where('expires_at', '>', sql<Date>`now()`)
        .returning('workspace_id'),
    )
    .selectFrom('redeemed')
    .innerJoin('workspace as w', 'w.id', 'redeemed.workspace_id')
    .select(['w.id', 'w.public_id as workspaceId', 'w.token_hash as tokenHash'])
    .where('w.disabled_at', 'is', null)
    .executeTakeFirst();
}
