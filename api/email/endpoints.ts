import { addSuppressions, deleteSuppressions, getSuppressions } from './suppressions.ts';
import { testEmail } from './test-email.ts';
import { testSlack } from './test-slack.ts';

export const emailEndpoints = [
  testEmail,
  testSlack,
  addSuppressions,
  getSuppressions,
  deleteSuppressions,
] as const;
