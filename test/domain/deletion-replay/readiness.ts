import type { TestApi } from '../../support/api.ts';

/** The response of the readiness check of an API. */
export async function readiness(of: TestApi): Promise<{ http: number; reasons?: readonly string[] }> {
  const response = await fetch(`${of.url}/readyz`);
  return { http: response.status, ...((await response.json()) as object) };
}
