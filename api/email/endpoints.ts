import { deleteSuppressions } from './delete-suppressions.ts';
import { addSuppressions } from './add-suppressions.ts';
import { getSuppressions } from './get-suppressions.ts';
import { testEmail } from './test-email.ts';
import { testSlack } from './test-slack.ts';

export const emailEndpoints = [
  testEmail,
  testSlack,
  addSuppressions,
  getSuppressions,
  deleteSuppressions,
] as const;
