import { withoutTrailingSlashes } from '../../platform/config/trailing-slashes.ts';
import { ownVersion } from '../../platform/process/own-version.ts';
import type { Endpoint } from '../http/endpoint.ts';
import { openApiDocument } from './document.ts';
import type { JsonSchema } from './json-schema.ts';

/** Returns the document of this version. */
export type OpenApiSource = () => JsonSchema;

/**
 * Builds the document of a process at the first call. Pages share it while they write their own bytes; the garbage
 * collector then takes it. A `publicUrl` that is no URL leaves the server relative.
 */
export function openApiSource(endpoints: readonly Endpoint[], publicUrl = ''): OpenApiSource {
  const serverUrl = URL.canParse(publicUrl) ? withoutTrailingSlashes(publicUrl) : '/';
  let shared: WeakRef<JsonSchema> | undefined;
  return () => {
    const known = shared?.deref();
    if (known !== undefined) return known;
    const built = openApiDocument(endpoints, ownVersion, serverUrl);
    shared = new WeakRef(built);
    return built;
  };
}
