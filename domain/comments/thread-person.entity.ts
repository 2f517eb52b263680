import { defineEntity, p } from '@mikro-orm/core';

/** Bits of `roles`. A thread involves its authors, tagged users and assignee. Deletion and export use the other bits. */
export const threadRoles = {
  author: 1,
  tagged: 2,
  assignee: 4,
  resolver: 8,
  statusUpdater: 16,
  /** Named anywhere else in the thread or its comments, or formerly the last actor of the thread. */
  named: 32,
} as const;

/** Adds bits to the roles of a user, by the customer's id. */
export const addRole = (roles: Map<string, number>, userId: string, role: number): void => {
  roles.set(userId, (roles.get(userId) ?? 0) | role);
};

/** The bits of users that a thread involves. */
export const involvedRoles = threadRoles.author | threadRoles.tagged | threadRoles.assignee;

/** A user that a thread, its comments or its reactions name, free members included. */
export const ThreadPersonSchema = defineEntity({
  name: 'ThreadPerson',
  tableName: 'thread_person',
  properties: {
    threadId: p.bigint('string').primary(),
    userId: p.bigint('string').primary(),
    apiKeyId: p.bigint('string'),
    orgId: p.bigint('string'),
    roles: p.smallint(),
  },
  indexes: [{ name: 'thread_person_user', properties: ['userId', 'orgId', 'threadId'] }],
});
