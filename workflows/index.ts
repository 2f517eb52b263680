export { migrateDocument } from './migrate-document.ts';
export { cascade } from './cascade.ts';
export { notifyMembers } from './notify-members.ts';
export { sweep } from './sweep.ts';
