import type { ReleaseName } from '../support/release.ts';

/** The release that the processes of this checkout run beside. */
export const release020: ReleaseName = {
  version: '0.2.0',
  commit: '43134c3625717042b7de6f8e39f181892aba21cc',
};

/** A release whose data migrates, but whose processes do not run beside others. */
export const release010: ReleaseName = {
  version: '0.1.0',
  commit: '887998ba8cacfafe866fd34005de5d276acd502e',
};

/** The file with the OpenAPI document that a release served, compressed; see write-document.ts. */
export const documentOf = ({ version }: ReleaseName): URL =>
  new URL(`../fixtures/openapi-${version}.json.gz`, import.meta.url);
