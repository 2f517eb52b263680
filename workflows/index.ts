export { migrateDocument } from './migrate-document.ts';
export { cascade } from './cascade.ts';
export { sweep } from './sweep.ts';
