import { rotateTokenKey as rotate } from '../../domain/signing/token-keys.ts';
import { inTransaction } from '../../platform/database/orm.ts';
import { withDatabase } from '../database.ts';
import type { Output } from '../output.ts';
import { databaseUrlOf, keyRingOf, type Surroundings } from '../settings.ts';

/** Tokens that the old key signed stay good: it is published until the last of them has ended. */
export async function rotateTokenKey(surroundings: Surroundings): Promise<Output> {
  const keyRing = keyRingOf(surroundings);
  return await withDatabase(databaseUrlOf(surroundings), async (orm) => {
    const kid = await inTransaction(orm, async (em) => rotate(em, keyRing));
    return {
      lines: [
        `Tokens are signed with ${kid} from now on; /.well-known/jwks.json shows it and the one before.`,
      ],
      json: { kid },
    };
  });
}
