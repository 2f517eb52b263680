import { z } from 'zod';
import type { Step } from './record-kinds.ts';

/** What the statement of a step answers: how many records, and the place of the last one. */
export const StepRow = z.strictObject({
  records: z.number(),
  last: z.array(z.string()).readonly().nullable(),
});
export type StepRow = z.infer<typeof StepRow>;

/** A step that found fewer records than it may take was the last one. */
export function step(found: StepRow | undefined, limit: number): Step {
  const records = found?.records ?? 0;
  return { records, last: records < limit ? null : (found?.last ?? null) };
}
