import { writeFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { aRelease } from '../support/release.ts';
import { documentOf, release020 } from './releases.ts';

/** `node test/releases/write-document.ts`: writes the OpenAPI document that the last release serves, without a database. */
const release = await aRelease(release020);
try {
  const api = await release.start('api', 'postgresql://nobody@127.0.0.1:1/none');
  const served = await fetch(`${api.url}/openapi.json`);
  await writeFile(documentOf(release020), gzipSync(await served.bytes(), { level: 9 }));
  await api.kill();
} finally {
  await release.remove();
}
