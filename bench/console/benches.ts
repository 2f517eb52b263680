import type { Bench } from '../run.ts';
import { measureBundle } from './bundle.ts';
import { countCalls } from './calls.ts';
import { timeInteractive } from './interactive.ts';
import { pageDocuments, pageJobs, pageMessages, pageOrganizations, pageUsers } from './lists.ts';
import { openManyPages } from './next-pages.ts';
import { measureSessionMemory } from './session-memory.ts';

/** The benches of the console. Each loads its own data. */
export const consoleBenches: Readonly<Record<string, Bench>> = {
  'console-bundle': measureBundle,
  'console-interactive': timeInteractive,
  'console-organizations': pageOrganizations,
  'console-documents': pageDocuments,
  'console-users': pageUsers,
  'console-messages': pageMessages,
  'console-jobs': pageJobs,
  'console-next-pages': openManyPages,
  'console-calls': countCalls,
  'console-sessions': measureSessionMemory,
};
