import { deleteUserData } from './delete-user-data.ts';
import { getDeletionStatus } from './get-deletion-status.ts';
import { getUserData } from './get-user-data.ts';

export const userDataEndpoints = [deleteUserData, getDeletionStatus, getUserData] as const;
