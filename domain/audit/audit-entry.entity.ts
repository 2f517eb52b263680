import { defineEntity, p } from '@mikro-orm/core';
import { json, moment } from '../columns.ts';

/** The credentials of an actor; `command` is the command line, which works on the database itself. */
export const actorKinds = ['apiKey', 'workspace', 'operator', 'command'] as const;
export type ActorKind = (typeof actorKinds)[number];

export const auditOutcomes = ['succeeded', 'denied'] as const;
export type AuditOutcome = (typeof auditOutcomes)[number];

/** One administrative act on one target; monthly partitions, append-only. People appear as pseudonyms. */
export const AuditEntrySchema = defineEntity({
  name: 'AuditEntry',
  tableName: 'audit_entry',
  partitionBy: {
    type: 'range' as const,
    expression: 'at',
    partitions: [{ name: 'audit_entry_default', values: 'default' }],
  },
  properties: {
    at: moment().primary().defaultRaw('clock_timestamp()'),
    id: p.uuid().primary().defaultRaw('gen_random_uuid()'),
    workspaceId: p.text().nullable(),
    keyId: p.text().nullable(),
    actorKind: p.text().$type<ActorKind>(),
    actor: p.text().nullable(),
    address: p.text().nullable(),
    action: p.text(),
    target: p.text().nullable(),
    outcome: p.text().$type<AuditOutcome>(),
    before: json<unknown>().nullable(),
    after: json<unknown>().nullable(),
    requestId: p.text().nullable(),
    dropped: p.integer().default(0),
  },
  indexes: [
    { name: 'audit_entry_workspace', properties: ['workspaceId', 'at', 'id'] },
    { name: 'audit_entry_key', properties: ['keyId', 'at', 'id'] },
    { name: 'audit_entry_target', properties: ['target', 'at', 'id'] },
  ],
});
