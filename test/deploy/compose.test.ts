import { readFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';

interface ComposeFile {
  readonly services: Readonly<
    Record<string, { readonly read_only?: boolean; readonly [member: string]: unknown }>
  >;
}

describe('docker-compose.yml', () => {
  it('has no read-only service with a secret or config that is not a file, which Compose refuses', async () => {
    const { services } = parse(await readFile('docker-compose.yml', 'utf8'), { merge: true }) as ComposeFile;
    const refused = Object.entries(services)
      .filter(([, it]) => it.read_only === true && ('secrets' in it || 'configs' in it))
      .map(([name]) => name);
    expect(Object.keys(services)).toContain('balancer');
    expect(refused).toEqual([]);
  });
});

describe('the image', () => {
  it('is built with the settings of TypeScript that those of the console extend', async () => {
    const { extends: extended } = JSON.parse(await readFile('console/tsconfig.json', 'utf8')) as {
      readonly extends: string;
    };
    const context = (await readFile('.dockerignore', 'utf8')).split('\n');
    expect(extended).toBe('../tsconfig.json');
    expect(context).toContain('!tsconfig.json');
  });
});
