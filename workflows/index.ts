export { migrateDocument } from './migrate-document.ts';
export { deleteUserData } from './delete-user-data.ts';
export { cascade } from './cascade.ts';
export { notifyMembers } from './notify-members.ts';
export { askAi } from './ask-ai.ts';
export { sweep } from './sweep.ts';
