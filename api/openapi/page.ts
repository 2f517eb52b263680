import { ownVersion } from '../../platform/process/own-version.ts';
import { cachedPage } from '../cached-page.ts';
import type { Page } from '../http/application.ts';
import type { Endpoint } from '../http/endpoint.ts';
import { openApiDocument } from './document.ts';

/** `GET /openapi.json`. */
export const openApiPage = (endpoints: readonly Endpoint[]): Page =>
  cachedPage('/openapi.json', 'application/json; charset=utf-8', () =>
    JSON.stringify(openApiDocument(endpoints, ownVersion)),
  );
