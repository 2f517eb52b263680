import { sql } from 'kysely';
import { z } from 'zod';
import type { EntityManager } from '../../platform/database/orm.ts';
import { rowsOf } from '../../platform/database/statements.ts';
import type { ChannelContext } from './channel-context.ts';
import type { NoticeRow } from './read-notices.ts';

const SuppressedRow = z.strictObject({ hash: z.instanceof(Buffer) });

/** Finds the addresses of notices that are on the key's suppression list, in one statement. */
export async function suppressedAmong(
  em: EntityManager,
  { tenantId, channel, hashOf }: Pick<ChannelContext, 'tenantId' | 'channel' | 'hashOf'>,
  notices: readonly NoticeRow[],
): Promise<(address: string) => boolean> {
  const addresses = channel === 'email' ? [...new Set(notices.map(({ email }) => email))] : [];
  const known = addresses.filter((address) => address !== '');
  if (known.length === 0) return () => false;
  const hashes = new Map(known.map((address) => [address, hashOf(address)]));
  const found = await rowsOf(
    em,
    SuppressedRow,
    sql`select address_hash as hash from mail_suppression
      where api_key_id = ${tenantId} and address_hash = any(${[...hashes.values()]}::bytea[])`,
  );
  const suppressed = new Set(found.map(({ hash }) => hash.toString('hex')));
  return (address) => suppressed.has(hashes.get(address)?.toString('hex') ?? '');
}
