import { readFileSync } from 'node:fs';

const packageFile = new URL('../../package.json', import.meta.url);

/** The version of this installation, as in package.json. */
export const ownVersion = (JSON.parse(readFileSync(packageFile, 'utf8')) as { readonly version: string })
  .version;
