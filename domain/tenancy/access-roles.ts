/** What a membership or a grant lets a person do. */
export const accessRoles = ['viewer', 'editor'] as const;
export type AccessRole = (typeof accessRoles)[number];

/** As the database numbers them; a number is never given twice. */
export const accessRoleNumbers = { viewer: 1, editor: 2 } as const satisfies Record<AccessRole, number>;

export const accessRoleNumber = (role: AccessRole) => accessRoleNumbers[role];

export function accessRoleName(number: number): AccessRole {
  const name = accessRoles.find((role) => accessRoleNumbers[role] === number);
  if (name === undefined) throw new Error(`No access role has the number ${String(number)}.`);
  return name;
}
