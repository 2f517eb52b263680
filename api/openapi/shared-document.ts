import { withoutTrailingSlashes } from '../../platform/config/trailing-slashes.ts';
import { inTurns } from '../../platform/process/in-turns.ts';
import { ownVersion } from '../../platform/process/own-version.ts';
import type { Endpoint } from '../http/endpoint.ts';
import { writtenDocument } from './document.ts';
import type { JsonSchema } from './json-schema.ts';

/** Returns the document of this version. */
export type OpenApiSource = () => Promise<JsonSchema>;

/**
 * Builds the document of a process at the first call, and serves other requests meanwhile. Pages share it while they
 * render; it is then garbage collected. An invalid `publicUrl` leaves the server relative.
 */
export function openApiSource(endpoints: readonly Endpoint[], publicUrl = ''): OpenApiSource {
  const serverUrl = URL.canParse(publicUrl) ? withoutTrailingSlashes(publicUrl) : '/';
  let shared: WeakRef<JsonSchema> | undefined;
  let building: Promise<JsonSchema> | undefined;
  const build = async (): Promise<JsonSchema> => {
    try {
      const built = await inTurns(writtenDocument(endpoints, ownVersion, serverUrl));
      shared = new WeakRef(built);
      return built;
    } finally {
      building = undefined;
    }
  };
  return async () => shared?.deref() ?? (building ??= build());
}
