import { nameOfNumber } from '../name-of-number.ts';

/** Roles of memberships and grants. */
export const accessRoles = ['viewer', 'editor'] as const;
export type AccessRole = (typeof accessRoles)[number];

/** Numbers in the database, never reused. */
export const accessRoleNumbers = { viewer: 1, editor: 2 } as const satisfies Record<AccessRole, number>;

export const accessRoleName = (number: number): AccessRole => nameOfNumber(accessRoleNumbers, number);
