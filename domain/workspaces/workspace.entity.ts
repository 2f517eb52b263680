import { defineEntity, p } from '@mikro-orm/core';
import { bytes, createdAt, moment, surrogateKey } from '../columns.ts';

export const WorkspaceSchema = defineEntity({
  name: 'Workspace',
  tableName: 'workspace',
  properties: {
    id: surrogateKey(),
    publicId: p.text().unique(),
    name: p.text(),
    ownerEmail: p.text(),
    ownerName: p.text().default(''),
    avatar: p.text().default(''),
    tokenHash: bytes(),
    tokenEnc: bytes(),
    createdAt: createdAt(),
    disabledAt: moment().nullable(),
  },
});

/** Owns API keys. Its token is stored as a hash for lookup and encrypted for reading. */
export class Workspace extends WorkspaceSchema.class {}
WorkspaceSchema.setClass(Workspace);
