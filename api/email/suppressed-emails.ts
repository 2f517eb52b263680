import { email, ids } from '../schemas.ts';

export const emails = ids(1_000, email).describe('E-mail addresses, max 1,000. Case does not matter.');
