import { afterAll, beforeEach } from '@jest/globals';
import { startTestApi, type TestApi, type TestApiOptions } from './api.ts';
import { aDocument, aTenant, type TestDocument, type TestTenant } from './factories.ts';

export interface SceneOptions extends TestApiOptions {
  /** Prepares each tenant, for instance by `withActivityLogs`. */
  readonly prepare?: (tenant: TestTenant, api: TestApi) => Promise<unknown>;
}

/** An API and a tenant for the tests of one file. */
export interface TenantScene {
  readonly api: TestApi;
  readonly tenant: TestTenant;
}

export interface DocumentScene extends TenantScene {
  /** A new document in a new organization for each test. */
  readonly document: TestDocument;
}

/** Starts an API, which closes after the last test of the file, and creates a tenant. */
export async function tenantScene({ prepare, ...options }: SceneOptions = {}): Promise<TenantScene> {
  const api = await startTestApi(options);
  afterAll(api.close);
  const tenant = await aTenant(api);
  await prepare?.(tenant, api);
  return { api, tenant };
}

/** A `tenantScene` with a new document for each test, and with a new tenant for each when `tenantPerTest` is true. */
export async function documentScene({
  tenantPerTest = false,
  ...options
}: SceneOptions & { readonly tenantPerTest?: boolean } = {}): Promise<DocumentScene> {
  const { api, tenant: first } = await tenantScene(options);
  let tenant = first;
  let document: TestDocument;
  beforeEach(async () => {
    if (tenantPerTest) {
      tenant = await aTenant(api);
      await options.prepare?.(tenant, api);
    }
    document = await aDocument(tenant);
  });
  return {
    api,
    get tenant() {
      return tenant;
    },
    get document() {
      return document;
    },
  };
}
