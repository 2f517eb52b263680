import { deleteUserData } from './delete-user-data.ts';
import { getDeletionStatus } from './get-deletion-status.ts';
import { getUserData } from './get-user-data.ts';
import { verifyReceipt } from './verify-receipt.ts';

export const userDataEndpoints = [deleteUserData, getDeletionStatus, verifyReceipt, getUserData] as const;
