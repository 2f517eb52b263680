import type { Problem } from './problem.ts';

/** The failure envelope (seed, "Errors"); `details` is additive and always names the request. */
export function problemBody({ status, message, details }: Problem, requestId: string): string {
  return JSON.stringify({ error: { status, message, details: { ...details, requestId } } });
}
