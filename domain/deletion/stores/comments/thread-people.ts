import type { PersonIndex } from '../person-index.ts';

/** The threads that name a person, by thread_person_user. */
export const threadPeople: PersonIndex = {
  table: 'thread_person',
  columns: ['user_id', 'org_id', 'thread_id'],
  organization: { column: 'org_id' },
};
