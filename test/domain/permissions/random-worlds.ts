import type { AccessRole } from '../../../domain/tenancy/access-roles.ts';
import { accessRoleNumbers } from '../../../domain/tenancy/access-roles.ts';
import { accessTypeNumbers } from '../../../domain/tenancy/access-types.ts';
import type { AccessType } from '../../../domain/tenancy/tenant.ts';
import type { TestDatabase } from '../../support/database.ts';
import type { Holding, ModelDocument, ModelFolder, ModelWorld } from './access-model.ts';

/** Unix times of expiries and checks: few, so that they often coincide. */
export const moments = [2_000_000_000, 2_000_000_001, 2_000_000_002, 2_000_000_003] as const;

export type Random = () => number;

/** Returns a generator whose seed determines its numbers (mulberry32). */
export function randomOf(seed: number): Random {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

export function oneOf<Value>(random: Random, values: readonly Value[]): Value {
  const value = values[Math.floor(random() * values.length)];
  if (value === undefined) throw new Error('Nothing to choose from.');
  return value;
}

const types: readonly (AccessType | null)[] = [
  null,
  null,
  null,
  'public',
  'organizationPrivate',
  'restricted',
];
const roles: readonly AccessRole[] = ['viewer', 'editor'];

/** Returns an organization with a random tree and random access of these users. */
export function aRandomWorld(random: Random, number: number, users: readonly string[]): ModelWorld {
  const folders: ModelFolder[] = [];
  const count = Math.floor(random() * 7);
  while (folders.length < count) {
    const parent = folders.length > 0 && random() < 0.8 ? oneOf(random, folders) : null;
    const id = `folder-${String(folders.length)}`;
    folders.push({ id, parent, accessType: oneOf(random, types), deleted: random() < 0.04 });
  }
  const documents = Array.from({ length: 1 + Math.floor(random() * 3) }, (_, at): ModelDocument => ({
    id: `document-${String(at)}`,
    folder: folders.length > 0 && random() < 0.85 ? oneOf(random, folders) : null,
    accessType: oneOf(random, types),
    disabled: random() < 0.05,
  }));
  const resources = ['organization' as const, ...folders, ...documents];
  const holdings = users.flatMap((user) =>
    resources.filter(() => random() < 0.25).map((resource) => aHolding(random, user, resource)),
  );
  return {
    organizationId: `world-${String(number)}`,
    disabled: random() < 0.04,
    folders,
    documents,
    holdings,
  };
}

function aHolding(random: Random, user: string, resource: Holding['resource']): Holding {
  const isMember = random() < 0.5;
  const grantRole = !isMember || random() < 0.5 ? oneOf(random, roles) : null;
  return {
    user,
    resource,
    isMember,
    memberRole: isMember && random() < 0.7 ? oneOf(random, roles) : null,
    grantRole,
    grantExpiresAt: grantRole !== null && random() < 0.7 ? oneOf(random, moments) : null,
  };
}

const typeNumber = (type: AccessType | null): number | null =>
  type === null ? null : accessTypeNumbers[type];
const roleNumber = (role: AccessRole | null): number | null =>
  role === null ? null : accessRoleNumbers[role];

/** Writes worlds as rows with explicit keys. The database must have no others. */
export async function loadWorlds(
  database: TestDatabase,
  tenantId: string,
  { users, worlds }: { readonly users: readonly string[]; readonly worlds: readonly ModelWorld[] },
): Promise<void> {
  const load = async (into: string, rows: readonly object[]): Promise<void> => {
    const columns = into.slice(into.indexOf('(') + 1, -1);
    await database.sql(
      `insert into ${into} overriding system value
       select ${columns} from json_populate_recordset(null::${into.slice(0, into.indexOf(' '))}, $1::json)`,
      [JSON.stringify(rows)],
    );
  };
  let key = 0;
  const next = (): number => (key += 1);
  const common = { api_key_id: tenantId, name: 'x', metadata: {}, created_at: 'now', updated_at: 'now' };
  const userKeys = new Map(users.map((user) => [user, next()]));
  const rows = {
    organization: [] as object[],
    folder: [] as object[],
    document: [] as object[],
    access: [] as object[],
  };
  for (const { organizationId, disabled, folders, documents, holdings } of worlds) {
    const org_id = next();
    const keys = new Map<Holding['resource'], { id: number; kind: number }>([
      ['organization', { id: org_id, kind: 1 }],
    ]);
    rows.organization.push({ ...common, id: org_id, ext_id: organizationId, disabled });
    const chains = new Map<ModelFolder, { ancestors: number[]; gone: boolean }>();
    for (const folder of folders) {
      const id = next();
      keys.set(folder, { id, kind: 2 });
      const above = folder.parent === null ? undefined : chains.get(folder.parent);
      const parent = folder.parent === null ? undefined : keys.get(folder.parent)?.id;
      const ancestors = above === undefined || parent === undefined ? [] : [...above.ancestors, parent];
      const gone = folder.deleted || above?.gone === true;
      chains.set(folder, { ancestors, gone });
      const ids = gone ? { ext_id: null, deleted_at: 'now' } : { ext_id: folder.id };
      const access_type = typeNumber(folder.accessType);
      rows.folder.push({ ...common, id, org_id, parent_id: parent ?? null, ancestors, access_type, ...ids });
    }
    for (const document of documents) {
      const id = next();
      keys.set(document, { id, kind: 3 });
      const folder_id = document.folder === null ? null : (keys.get(document.folder)?.id ?? null);
      const { disabled: off } = document;
      const access_type = typeNumber(document.accessType);
      rows.document.push({
        ...common,
        id,
        org_id,
        ext_id: document.id,
        folder_id,
        disabled: off,
        access_type,
      });
    }
    for (const { user, resource, isMember, memberRole, grantRole, grantExpiresAt } of holdings) {
      const at = keys.get(resource);
      if (at === undefined) throw new Error('A holding on nothing.');
      rows.access.push({
        user_id: userKeys.get(user),
        kind: at.kind,
        resource_id: at.id,
        api_key_id: tenantId,
        org_id,
        user_ext: user,
        is_member: isMember,
        member_role: roleNumber(memberRole),
        grant_role: roleNumber(grantRole),
        grant_expires_at: grantExpiresAt === null ? null : new Date(grantExpiresAt * 1_000),
      });
    }
  }
  const times = 'created_at, updated_at';
  await load(
    `app_user (id, api_key_id, ext_id, name, email, metadata, ${times})`,
    users.map((user) => ({ ...common, id: userKeys.get(user), ext_id: user, email: '' })),
  );
  await load(`organization (id, api_key_id, ext_id, name, disabled, metadata, ${times})`, rows.organization);
  await load(
    `folder (id, api_key_id, org_id, ext_id, parent_id, ancestors, name, access_type, metadata, ${times}, deleted_at)`,
    rows.folder,
  );
  await load(
    `document (id, api_key_id, org_id, ext_id, folder_id, name, disabled, access_type, metadata, ${times})`,
    rows.document,
  );
  await load(
    `access (user_id, kind, resource_id, api_key_id, org_id, user_ext, is_member, member_role, grant_role, grant_expires_at)`,
    rows.access,
  );
  await database.sql('analyze');
}
