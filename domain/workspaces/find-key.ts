import type { EntityManager } from '../../platform/database/orm.ts';
import { sha256 } from '../../platform/encryption/tokens.ts';
import { notFound } from '../errors.ts';
import { messages } from '../messages.ts';
import { ApiKey } from './api-key.entity.ts';

/** Finds a key of the workspace. Throws NOT_FOUND, also for deleted keys and for keys of other workspaces. */
export const findKey = async (em: EntityManager, workspaceId: string, apiKey: string): Promise<ApiKey> =>
  em.findOneOrFail(
    ApiKey,
    { keyHash: sha256(apiKey), workspaceId, deletedAt: null },
    { failHandler: () => notFound(messages.apiKeyMissing) },
  );
