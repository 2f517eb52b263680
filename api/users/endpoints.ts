import { addUsers, addUsersV1 } from './add-users.ts';
import { countUsers } from './count-users.ts';
import { deleteUsers } from './delete-users.ts';
import { getDocumentUsers } from './get-document-users.ts';
import { getUsers } from './get-users.ts';
import { searchUsers } from './search-users.ts';
import { updateUsers, updateUsersV1 } from './update-users.ts';

export const userEndpoints = [
  addUsersV1,
  addUsers,
  getUsers,
  searchUsers,
  countUsers,
  getDocumentUsers,
  updateUsersV1,
  updateUsers,
  deleteUsers,
] as const;
