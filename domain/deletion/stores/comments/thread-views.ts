import { tableStore } from '../table-store.ts';

/** A person's read marks, by the primary key. */
export const threadViews = tableStore({
  name: 'threadViews',
  kind: 'commentViews',
  index: {
    table: 'thread_view',
    columns: ['user_id', 'document_id', 'thread_id'],
    organization: { column: 'org_id' },
  },
});
