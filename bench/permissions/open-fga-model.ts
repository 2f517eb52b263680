import { chainOf, isDocument, type World } from './world.ts';

/** A model, and the relation that a check queries. */
export interface Model {
  readonly name: string;
  readonly relation: string;
  readonly types: readonly object[];
}

const users = { type: 'user' };
const members = { type: 'organization', relation: 'member' };
const own = { this: {} };
const computed = (relation: string) => ({ computedUserset: { relation } });
const fromParent = (relation: string) => ({
  tupleToUserset: { tupleset: { relation: 'parent' }, computedUserset: { relation } },
});
const union = (...child: readonly object[]) => ({ union: { child } });
const direct = (...kinds: readonly object[]) => ({ directly_related_user_types: kinds });

const organization = {
  type: 'organization',
  relations: { member: own, admin: own },
  metadata: { relations: { member: direct(users), admin: direct(users) } },
};

/** Returns the types of folders and documents, which differ only in the types of their subjects. */
function resourceTypes(relations: Readonly<Record<string, object>>): object[] {
  const type = (name: string, viewers: readonly object[]) => ({
    type: name,
    relations: { parent: own, ...relations },
    metadata: {
      relations: { parent: direct({ type: 'folder' }), viewer: direct(...viewers), editor: direct(users) },
    },
  });
  return [users, organization, type('folder', [users, members]), type('document', [users])];
}

/** The model of OpenFGA's guides: two inherited roles, and an editor is also a viewer. */
export const usual: Model = {
  name: 'OpenFGA, usual model',
  relation: 'viewer',
  types: resourceTypes({
    editor: union(own, fromParent('editor')),
    viewer: union(own, computed('editor'), fromParent('viewer')),
  }),
};

/** The cheapest equivalent model: grants are not inherited, and one relation follows the parents. */
export const flat: Model = {
  name: 'OpenFGA, flat model',
  relation: 'can_view',
  types: resourceTypes({
    editor: own,
    viewer: own,
    can_view: union(computed('viewer'), computed('editor'), fromParent('can_view')),
  }),
};

export interface Tuple {
  readonly user: string;
  readonly relation: string;
  readonly object: string;
}

const organizationObject = 'organization:permissions';

/** The whole world as OpenFGA stores it; the same for both models. */
export function tuplesOf({ members, folders, documents, grants }: World): Tuple[] {
  return [
    ...[...members].map((userId) => ({
      user: `user:${userId}`,
      relation: 'member',
      object: organizationObject,
    })),
    ...folders.flatMap((folder) => {
      const [, parent] = chainOf(folder);
      const object = `folder:${folder.id}`;
      return [
        ...(parent === undefined ? [] : [{ user: `folder:${parent.id}`, relation: 'parent', object }]),
        ...(folder.shared ? [{ user: `${organizationObject}#member`, relation: 'viewer', object }] : []),
      ];
    }),
    ...documents.map(({ id, folder }) => ({
      user: `folder:${folder.id}`,
      relation: 'parent',
      object: `document:${id}`,
    })),
    ...grants.map(({ userId, on, role }) => ({
      user: `user:${userId}`,
      relation: role,
      object: `${isDocument(on) ? 'document' : 'folder'}:${on.id}`,
    })),
  ];
}
