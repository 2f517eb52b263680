/** What a membership or a grant is held on. */
export const resourceKinds = ['organization', 'folder', 'document'] as const;
export type ResourceKind = (typeof resourceKinds)[number];

/** As the table `access` numbers them (column `kind`); a number is never given twice. */
export const resourceKindNumbers = {
  organization: 1,
  folder: 2,
  document: 3,
} as const satisfies Record<ResourceKind, number>;
