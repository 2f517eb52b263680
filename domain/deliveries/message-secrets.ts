import { createSecretKey, type KeyObject } from 'node:crypto';
import type { Orm } from '../../platform/database/orm.ts';
import type { KeyRing } from '../../platform/encryption/key-ring.ts';
import { lazily } from '../../platform/process/single-flight.ts';
import { suppressionSecret } from '../notices/suppression-hash.ts';
import { signingSecret } from '../signing/signing-secret.ts';
import { currentUnsubscribeKey, type UnsubscribeKey } from '../signing/unsubscribe-tokens.ts';

/** Secrets of the deployment that every message needs. Key objects: Node.js needs longer to import a buffer than to sign with it. */
export interface MessageSecrets {
  /** Names threads and lists in headers. */
  readonly names: KeyObject;
  readonly unsubscribe: UnsubscribeKey;
  /** Hashes the addresses of suppression lists. */
  readonly suppressions: KeyObject;
}

/** Reads the secrets at the first call. They never change, and a sender needs them for each claim of each key. */
export const messageSecrets = ({
  orm,
  keyRing,
}: {
  readonly orm: Orm;
  readonly keyRing: KeyRing;
}): (() => Promise<MessageSecrets>) =>
  lazily(async () => {
    const em = orm.em.fork();
    const names = createSecretKey(await signingSecret(em, keyRing, 'message-names'));
    const unsubscribe = await currentUnsubscribeKey(em, keyRing);
    return { names, unsubscribe, suppressions: await suppressionSecret(em, keyRing) };
  });
