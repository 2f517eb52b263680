import { text } from '../schemas.ts';

export const keyId = text(200)
  .min(1)
  .describe('Public id of an API key (`akid_…`), never the key itself. Max 200 characters.');
