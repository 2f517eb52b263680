import type { CallOptions, Refusal, Result } from '../support/client.ts';
import { tenantScene, type TenantScene } from '../support/document-scene.ts';
import { aDocument, freshId, type TestTenant } from '../support/factories.ts';

/** A notification of a response. */
export interface NotificationResponse {
  readonly id: string;
  readonly timestamp: number;
  readonly notifyUsers: Readonly<Record<string, boolean>>;
  readonly notifyUsersByUserId: Readonly<Record<string, boolean>>;
  readonly notifyUsersCount: number;
  readonly isUnread?: boolean;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly [member: string]: unknown;
}

export interface Choice {
  readonly userId: string;
  readonly notified: boolean;
  readonly reason: string;
  readonly source: string;
  readonly channels: Readonly<Record<string, boolean>>;
}

export interface Added {
  readonly success: true;
  readonly message: string;
  readonly notificationId: string;
  readonly jobId?: string;
  readonly explain?: readonly Choice[];
}

export interface NotificationItem {
  readonly success: boolean;
  readonly id: string;
  readonly message: string;
  readonly code?: string;
  readonly userId?: string;
  readonly documentId?: string | null;
}

export type Items = Readonly<Record<string, NotificationItem>>;
type Operation = 'add' | 'get' | 'update' | 'delete' | 'config/get' | 'config/set';
type Options = { readonly version?: 1 | 2 } & CallOptions;

/** Calls about the notifications of one organization and, unless another is named, one document. */
export interface NotificationCalls {
  readonly organizationId: string;
  readonly documentId: string;
  /** The members of an addition besides recipients. */
  readonly texts: Readonly<Record<string, unknown>>;
  add(members?: object, options?: Options): Promise<Added>;
  /** Reads the whole list, or the part that the request members select. */
  get(members?: object, options?: Options): Promise<readonly NotificationResponse[]>;
  /** Returns the ids of a list in its order. */
  ids(members?: object): Promise<readonly string[]>;
  ok<Data>(operation: Operation, members: object, options?: Options): Promise<Result<Data>>;
  refused(operation: Operation, members: object, options?: Options): Promise<Refusal>;
}

export const texts = {
  actionUser: { userId: 'actor', name: 'Ada' },
  displayHeadlineMessageTemplate: '{actionUser} wrote',
  displayBodyMessage: 'Hello.',
};

export const users = (...userIds: readonly string[]) => userIds.map((userId) => ({ userId }));

export async function inADocument(tenant: TestTenant): Promise<NotificationCalls> {
  const { organizationId, documentId } = await aDocument(tenant);
  const ok = async <Data>(operation: Operation, members: object, { version = 2, ...options }: Options = {}) =>
    tenant.ok<Data>(
      `/v${String(version)}/notifications/${operation}`,
      { organizationId, ...members },
      options,
    );
  const get = async (members: object = { documentId }, options: Options = {}) =>
    (await ok<readonly NotificationResponse[]>('get', members, options)).data;
  return {
    organizationId,
    documentId,
    texts,
    ok,
    get,
    add: async (members = {}, options = {}) =>
      (await ok<Added>('add', { documentId, ...texts, ...members }, options)).data,
    ids: async (members) => (await get(members)).map(({ id }) => id),
    refused: async (operation, members, { version = 2, ...options } = {}) =>
      tenant.refused(
        `/v${String(version)}/notifications/${operation}`,
        { organizationId, ...members },
        options,
      ),
  };
}

/** Writes members of a document by SQL: more of them than a test can add by calls. */
export async function members(
  tenant: TestTenant,
  { organizationId, documentId }: NotificationCalls,
  userIds: readonly string[],
): Promise<void> {
  for (let start = 0; start < userIds.length; start += 1_000) {
    await tenant.ok('/v2/users/add', {
      organizationId,
      documentId,
      users: users(...userIds.slice(start, start + 1_000)),
    });
  }
}

export const aUser = (): string => freshId('user');

/** An API for the tests of one file, and a tenant with notifications on. */
export const notificationsScene = async (): Promise<TenantScene> =>
  tenantScene({
    prepare: async (tenant) =>
      tenant.ok('/v2/workspace/notificationconfig/update', { useNotificationService: true }),
  });
