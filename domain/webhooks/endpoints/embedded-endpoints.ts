import type { EntityManager } from '../../../platform/database/orm.ts';
import type { KeyRing } from '../../../platform/encryption/key-ring.ts';
import { listAttempts } from '../messages/list-attempts.ts';
import { listMessages } from '../messages/list-messages.ts';
import { readStats } from '../messages/read-stats.ts';
import { recoverMessages } from '../messages/recover-messages.ts';
import { resendMessage } from '../messages/resend-message.ts';
import type { WebhookReads, WebhookWrites } from '../provider.ts';
import { changeEndpoint, removeEndpoint } from './change-endpoint.ts';
import { createEndpoint } from './create-endpoint.ts';
import { findEndpoint, lockEnabledEndpoint } from './endpoint-row.ts';
import { listEndpoints } from './list-endpoints.ts';
import { readSecret, rotateSecret } from './secrets.ts';

export interface EmbeddedWork {
  /** Writes run in its transaction. */
  readonly em: EntityManager;
  readonly keyRing: KeyRing;
  readonly tenantId: string;
  /** Wakes the delivery workflow of an endpoint after the commit. */
  readonly wake: (endpointId: string) => void;
}

/** Writes of one key's endpoints in Steward's own database. */
export function embeddedWrites({ em, keyRing, tenantId, wake }: EmbeddedWork): WebhookWrites {
  return {
    create: (request) => createEndpoint(em, keyRing, tenantId, request),
    async update(endpointId, change) {
      const changed = await changeEndpoint(em, tenantId, endpointId, change);
      wake(endpointId);
      return changed;
    },
    async remove(endpointId) {
      const removed = await removeEndpoint(em, tenantId, endpointId);
      wake(endpointId);
      return removed;
    },
    rotateSecret: (endpointId) => rotateSecret(em, keyRing, tenantId, endpointId),
    async resend(endpointId, messageId) {
      const { id } = await lockEnabledEndpoint(em, tenantId, endpointId);
      await resendMessage(em, tenantId, id, messageId);
      wake(endpointId);
    },
    async recover(endpointId, span) {
      const { id } = await lockEnabledEndpoint(em, tenantId, endpointId);
      const queued = await recoverMessages(em, tenantId, id, span);
      if (queued > 0) wake(endpointId);
      return queued;
    },
  };
}

/** Reads of one key's endpoints in Steward's own database. */
export function embeddedReads({ em, keyRing, tenantId }: Omit<EmbeddedWork, 'wake'>): WebhookReads {
  return {
    list: (page) => listEndpoints(em, tenantId, page),
    readSecret: (endpointId) => readSecret(em, keyRing, tenantId, endpointId),
    async listAttempts(endpointId, filter, page) {
      const endpoint = await findEndpoint(em, tenantId, endpointId);
      return listAttempts(em, tenantId, endpoint, filter, page);
    },
    async listMessages(endpointId, filter, page) {
      return listMessages(em, tenantId, await findEndpoint(em, tenantId, endpointId), filter, page);
    },
    async readStats(endpointId, since) {
      return readStats(em, tenantId, await findEndpoint(em, tenantId, endpointId), since);
    },
  };
}
