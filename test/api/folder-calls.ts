import { expect } from '@jest/globals';
import type { CallOptions, Refusal, Result } from '../support/client.ts';
import { anOrganization, type TestTenant } from '../support/factories.ts';

/** A folder in a response. */
export interface FolderResponse {
  readonly folderId: string;
  readonly folderName: string;
  readonly organizationId: string;
  readonly parentFolderId: string;
  readonly apiKey: string;
  readonly createdAt: number;
  readonly lastUpdated: number;
  readonly ancestors: readonly string[];
  readonly accessType: string | null;
  readonly inheritAccessFromParent: boolean;
  readonly subFolders?: readonly FolderResponse[];
  readonly [member: string]: unknown;
}

export interface FolderItem {
  readonly success: boolean;
  readonly id: string;
  readonly message: string;
  readonly code?: string;
  readonly accessType?: string | null;
  readonly inheritFromParent?: boolean;
}

type Operation = 'add' | 'get' | 'update' | 'delete' | 'access/update';
type Items = Readonly<Record<string, FolderItem>>;

/** Calls about the folders of one organization. */
export interface FolderCalls {
  readonly organizationId: string;
  add(folders: readonly object[]): Promise<Result<Items>>;
  update(folders: readonly object[]): Promise<Result<Items>>;
  access(folderIds: readonly string[], members: object): Promise<Result<Items>>;
  delete(folderId: string): Promise<Result<null>>;
  /** Reads all folders, or those that the request members select. */
  get(members?: object): Promise<readonly FolderResponse[]>;
  refused(operation: Operation, members: object, version?: 1 | 2): Promise<Refusal>;
  ok<Data>(
    operation: Operation,
    members: object,
    options?: { version?: 1 | 2 } & CallOptions,
  ): Promise<Result<Data>>;
}

export async function inAnOrganization(tenant: TestTenant): Promise<FolderCalls> {
  const organizationId = await anOrganization(tenant);
  const path = (operation: Operation, version: 1 | 2 = 2) =>
    `/v${String(version)}/organizations/folders/${operation}`;
  const ok = async <Data>(
    operation: Operation,
    members: object,
    { version, ...options }: { version?: 1 | 2 } & CallOptions = {},
  ) => tenant.ok<Data>(path(operation, version), { organizationId, ...members }, options);
  return {
    organizationId,
    ok,
    add: async (folders) => ok<Items>('add', { folders }),
    update: async (folders) => ok<Items>('update', { folders }),
    access: async (folderIds, members) => ok<Items>('access/update', { folderIds, ...members }),
    delete: async (folderId) => ok<null>('delete', { folderId }),
    get: async (members = {}) => (await ok<readonly FolderResponse[]>('get', members)).data,
    refused: async (operation, members, version) =>
      tenant.refused(path(operation, version), { organizationId, ...members }),
  };
}

/** Parents by the folder's id. */
export function parentsOf(folders: readonly FolderResponse[]): Record<string, string> {
  return Object.fromEntries(folders.map(({ folderId, parentFolderId }) => [folderId, parentFolderId]));
}

/** Nests folders: `a` at the top level, `b` in `a` and so on. Returns the ids from the top down. */
export function chain(length: number, prefix = 'level'): { folderId: string; parentFolderId: string }[] {
  return Array.from({ length }, (_, level) => ({
    folderId: `${prefix}-${String(level + 1)}`,
    parentFolderId: level === 0 ? 'root' : `${prefix}-${String(level)}`,
  }));
}

/** Expects a tree without cycles, in which every parent exists and ancestors match parents. */
export function expectATree(folders: readonly FolderResponse[]): void {
  const byId = new Map(folders.map((folder) => [folder.folderId, folder]));
  for (const { folderId, parentFolderId, ancestors } of folders) {
    const above: string[] = [];
    let at = parentFolderId;
    while (at !== 'root' && above.length <= 64) {
      above.unshift(at);
      at = byId.get(at)?.parentFolderId ?? 'nowhere';
    }
    expect({ folderId, ancestors }).toEqual({ folderId, ancestors: ['root', ...above] });
  }
}
