/** Kinds of resources that memberships and grants apply to. */
export const resourceKinds = ['organization', 'document', 'folder'] as const;
export type ResourceKind = (typeof resourceKinds)[number];

/** Numbers in `access.kind`, never reused. */
export const resourceKindNumbers = {
  organization: 1,
  folder: 2,
  document: 3,
} as const satisfies Record<ResourceKind, number>;
