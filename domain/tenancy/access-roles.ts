import { nameOfNumber } from '../name-of-number.ts';

/** What a membership or a grant lets a person do. */
export const accessRoles = ['viewer', 'editor'] as const;
export type AccessRole = (typeof accessRoles)[number];

/** As the database numbers them; a number is never given twice. */
export const accessRoleNumbers = { viewer: 1, editor: 2 } as const satisfies Record<AccessRole, number>;

export const accessRoleNumber = (role: AccessRole) => accessRoleNumbers[role];

export const accessRoleName = (number: number): AccessRole => nameOfNumber(accessRoleNumbers, number);
