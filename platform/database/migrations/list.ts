import { Access } from './2026-11-21-access.ts';
import { Agents } from './2026-11-21-agents.ts';
import { AuditLog } from './2026-11-24-audit-log.ts';
import { CrdtCodec } from './2026-11-21-crdt-codec.ts';
import { Crdt } from './2026-11-21-crdt.ts';
import { DeliveryRoom } from './2026-11-22-delivery-room.ts';
import { DeletionPlaces } from './2026-11-21-deletion-places.ts';
import { EventKeys } from './2026-11-21-event-keys.ts';
import { Foundation } from './2026-11-21-foundation.ts';
import { KeyPublicIds } from './2026-11-23-key-public-ids.ts';
import { Notifications } from './2026-11-21-notifications.ts';
import { ScopedTokens } from './2026-11-24-scoped-tokens.ts';
import { Receipts } from './2026-11-23-receipts.ts';
import { TokenOverlap } from './2026-11-23-token-overlap.ts';
import { UserDataDeletion } from './2026-11-21-user-data-deletion.ts';
import { Operations } from './2026-11-24-operations.ts';
import { PersonIndex } from './2026-11-23-person-index.ts';
import { OperatorTokens } from './2026-11-24-operator-tokens.ts';
import { Rewriter } from './2026-11-21-rewriter.ts';
import { WebhookApplications } from './2026-11-21-webhook-applications.ts';
import { Webhooks } from './2026-11-21-webhooks.ts';
import { JobRequestId } from './2026-11-24-job-request-id.ts';

/** In the order they run. A migration that has been released is never changed: add another. */
export const migrations = [
  { name: '2026-11-21-foundation', class: Foundation },
  { name: '2026-11-21-access', class: Access },
  { name: '2026-11-21-notifications', class: Notifications },
  { name: '2026-11-21-agents', class: Agents },
  { name: '2026-11-21-crdt', class: Crdt },
  { name: '2026-11-21-webhooks', class: Webhooks },
  { name: '2026-11-21-user-data-deletion', class: UserDataDeletion },
  { name: '2026-11-21-rewriter', class: Rewriter },
  { name: '2026-11-21-webhook-applications', class: WebhookApplications },
  { name: '2026-11-21-deletion-places', class: DeletionPlaces },
  { name: '2026-11-21-event-keys', class: EventKeys },
  { name: '2026-11-21-crdt-codec', class: CrdtCodec },
  { name: '2026-11-22-delivery-room', class: DeliveryRoom },
  { name: '2026-11-23-token-overlap', class: TokenOverlap },
  { name: '2026-11-23-receipts', class: Receipts },
  { name: '2026-11-23-key-public-ids', class: KeyPublicIds },
  { name: '2026-11-23-person-index', class: PersonIndex },
  { name: '2026-11-24-operator-tokens', class: OperatorTokens },
  { name: '2026-11-24-job-request-id', class: JobRequestId },
  { name: '2026-11-24-scoped-tokens', class: ScopedTokens },
  { name: '2026-11-24-operations', class: Operations },
  { name: '2026-11-24-audit-log', class: AuditLog },
] as const;
