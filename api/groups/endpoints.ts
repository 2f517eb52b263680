import { addGroupMembers } from './add-group-members.ts';
import { addGroups } from './add-groups.ts';
import { deleteGroupMembers } from './delete-group-members.ts';

export const groupEndpoints = [addGroups, addGroupMembers, deleteGroupMembers] as const;
