import { deleteUserData } from './delete-user-data.ts';
import { getDeletionStatus } from './get-deletion-status.ts';

export const userDataEndpoints = [deleteUserData, getDeletionStatus] as const;
