import { invalidMember } from '../errors.ts';

/** Max different users that one call may name, also in free JSON. */
const maxUsers = 1_000;

/** Throws INVALID_ARGUMENT for too many users. `member`: the member of `data` that names them, if only one does. */
export function refuseManyUsers(count: number, member = ''): void {
  if (count <= maxUsers) return;
  const named = member === '' ? 'data' : member;
  throw invalidMember(
    member,
    `${named} must name at most ${String(maxUsers)} different users, not ${String(count)}.`,
  );
}
