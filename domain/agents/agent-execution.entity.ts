import { defineEntity, p } from '@mikro-orm/core';
import { byteText, customerId, json, reference, surrogateKey } from '../columns.ts';
import { ApiKeySchema } from '../workspaces/api-key.entity.ts';
import { OrganizationSchema } from '../organizations/organization.entity.ts';
import { DocumentSchema } from '../documents/document.entity.ts';
import { executionStatusNumbers, type ExecutionBody } from './execution.ts';

/** `startedAt` and `completedAt` are milliseconds since the epoch. Lists do not read `results`. */
export const AgentExecutionSchema = defineEntity({
  name: 'AgentExecution',
  tableName: 'agent_execution',
  properties: {
    id: surrogateKey(),
    apiKeyId: reference(ApiKeySchema, 'api_key_id'),
    orgId: reference(OrganizationSchema, 'org_id').nullable(),
    documentId: reference(DocumentSchema, 'document_id').nullable(),
    extId: customerId('ext_id'),
    agentId: byteText(),
    status: p.enum(executionStatusNumbers),
    startedAt: p.bigint('string'),
    completedAt: p.bigint('string').nullable(),
    startedBy: p.bigint('string').nullable(),
    body: json<ExecutionBody>(),
    results: json<unknown>().nullable(),
  },
  indexes: [
    { name: 'agent_execution_key', properties: ['apiKeyId', 'startedAt', 'id'] },
    {
      name: 'agent_execution_agent',
      properties: ['apiKeyId', 'agentId', 'startedAt', 'id'],
      include: ['status', 'orgId', 'documentId'],
    },
    { name: 'agent_execution_organization', properties: ['orgId', 'startedAt', 'id'] },
    { name: 'agent_execution_document', properties: ['documentId', 'startedAt', 'id'] },
    {
      name: 'agent_execution_status',
      properties: ['apiKeyId', 'status', 'startedAt', 'id'],
      include: ['agentId', 'orgId', 'documentId'],
    },
    {
      name: 'agent_execution_user',
      properties: ['startedBy', 'orgId', 'id'],
      where: 'started_by is not null',
    },
    {
      name: 'agent_execution_elsewhere',
      properties: ['startedBy', 'id'],
      where: 'org_id is null and started_by is not null',
    },
  ],
  uniques: [{ name: 'agent_execution_ext', properties: ['apiKeyId', 'extId'] }],
  checks: [{ name: 'agent_execution_check', expression: 'document_id is null or org_id is not null' }],
});
