import { publicTokenKeys } from '../../domain/signing/token-keys.ts';
import type { Orm } from '../../platform/database/orm.ts';
import type { Page } from '../http/application.ts';

/** Cache time of the keys. A verifier must refetch them when it sees an unknown `kid`. */
const maxAgeSeconds = 300;

/**
 * `GET /.well-known/jwks.json`: the public keys that verify tokens of `generate_token` and receipts. Requires no
 * credentials, so pages of every origin may read it. A request without own headers needs no preflight.
 */
export function jwksPage(orm: Orm): Page {
  return {
    path: '/.well-known/jwks.json',
    async response(context) {
      context.set('Access-Control-Allow-Origin', '*');
      const keys = await publicTokenKeys(orm.em.fork());
      context.status = 200;
      context.type = 'application/json; charset=utf-8';
      context.set('Cache-Control', `public, max-age=${String(maxAgeSeconds)}`);
      context.body = JSON.stringify({ keys });
    },
  };
}
