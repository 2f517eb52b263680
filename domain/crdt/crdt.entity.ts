import { defineEntity, p } from '@mikro-orm/core';
import { bytes, customerId, moment, reference, surrogateKey } from '../columns.ts';
import { OrganizationSchema } from '../organizations/organization.entity.ts';
import { DocumentSchema } from '../documents/document.entity.ts';
import { crdtTypeNumbers } from './record.ts';
import { codecs } from './stored-bytes.ts';

/**
 * `version` counts writes, `stateRevision` replacements of `state`. `decoded` is the JSON of the content at
 * `decodedVersion`; while that differs from `version`, `crdt_update` contains the later updates.
 */
export const CrdtSchema = defineEntity({
  name: 'Crdt',
  tableName: 'crdt',
  properties: {
    id: surrogateKey(),
    apiKeyId: p.bigint('string'),
    orgId: reference(OrganizationSchema, 'org_id'),
    documentId: reference(DocumentSchema, 'document_id'),
    editorId: customerId('editor_id'),
    type: p.enum(crdtTypeNumbers),
    contentKey: p.text(),
    state: bytes(),
    stateRevision: p.bigint('string').defaultRaw('1'),
    version: p.bigint('string').defaultRaw('1'),
    decoded: p.text(),
    decodedBytes: p.integer(),
    decodedVersion: p.bigint('string').defaultRaw('1'),
    lastUpdate: moment().defaultRaw('now()'),
    lastUpdatedBy: p.bigint('string').nullable(),
    sessionId: p.text().nullable(),
    stateCodec: p.enum(codecs).default(codecs.plain),
  },
  indexes: [
    { name: 'crdt_organization', properties: ['orgId'] },
    { name: 'crdt_user', properties: ['lastUpdatedBy', 'orgId', 'id'], where: 'last_updated_by is not null' },
  ],
  uniques: [{ name: 'crdt_editor', properties: ['documentId', 'editorId'] }],
});
