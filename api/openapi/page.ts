import { withoutTrailingSlashes } from '../../platform/config/trailing-slashes.ts';
import { ownVersion } from '../../platform/process/own-version.ts';
import { cachedPage } from '../cached-page.ts';
import type { Page } from '../http/application.ts';
import type { Endpoint } from '../http/endpoint.ts';
import { openApiDocument } from './document.ts';

/** `GET /openapi.json`. A `publicUrl` that is no URL leaves the server relative. */
export const openApiPage = (endpoints: readonly Endpoint[], publicUrl: string): Page =>
  cachedPage('/openapi.json', 'application/json; charset=utf-8', () =>
    JSON.stringify(openApiDocument(endpoints, ownVersion, serverUrlOf(publicUrl))),
  );

const serverUrlOf = (publicUrl: string): string =>
  URL.canParse(publicUrl) ? withoutTrailingSlashes(publicUrl) : '/';
