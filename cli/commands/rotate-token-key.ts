import { recordAuditEntries } from '../../domain/audit/record-entries.ts';
import { rotateTokenKey as rotate } from '../../domain/signing/token-keys.ts';
import { inTransaction } from '../../platform/database/orm.ts';
import { commandActor } from '../command-actor.ts';
import { withDatabase } from '../database.ts';
import type { Output } from '../output.ts';
import { databaseUrlOf, keyRingOf, type Surroundings } from '../settings.ts';

/** Begins to sign tokens with a new key. Tokens of the old key stay valid: it is published until the last of them expires. */
export async function rotateTokenKey(surroundings: Surroundings): Promise<Output> {
  const keyRing = keyRingOf(surroundings);
  return await withDatabase(databaseUrlOf(surroundings), async (orm) => {
    const kid = await inTransaction(orm, async (em) => {
      const made = await rotate(em, keyRing);
      await recordAuditEntries(em, keyRing, {
        actor: commandActor,
        action: 'signing_key.rotate',
        outcome: 'succeeded',
        targets: [made],
      });
      return made;
    });
    return {
      lines: [`New tokens are signed with ${kid}; /.well-known/jwks.json lists it and the previous key.`],
      json: { kid },
    };
  });
}
