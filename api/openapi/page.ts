import { cachedPage } from '../cross-resource/cached-page.ts';
import type { Page } from '../http/application.ts';
import type { OpenApiSource } from './shared-document.ts';

/** `GET /openapi.json`. */
export const openApiPage = (document: OpenApiSource): Page =>
  cachedPage('/openapi.json', 'application/json; charset=utf-8', async () =>
    JSON.stringify(await document()),
  );
