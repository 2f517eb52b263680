import { addFolders } from './add-folders.ts';
import { deleteFolder } from './delete-folder.ts';
import { getFolders } from './get-folders.ts';
import { updateFolderAccess, updateFolderAccessV1 } from './update-folder-access.ts';
import { updateFolders } from './update-folders.ts';

export const folderEndpoints = [
  addFolders,
  getFolders,
  updateFolders,
  deleteFolder,
  updateFolderAccessV1,
  updateFolderAccess,
] as const;
