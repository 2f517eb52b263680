import type { Tenant } from '../../domain/tenancy/tenant.ts';

/* Code that must not compile. `tsc` fails when it does, because an unused `@ts-expect-error` is an error. */

export const keyInJob = (tenant: Tenant): string =>
  // @ts-expect-error: only a request has the API key; a job would write an empty one.
  tenant.apiKey;
