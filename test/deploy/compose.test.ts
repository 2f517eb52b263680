import { readFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { markdownPages } from '../support/markdown-page.ts';
import { pageBlocks } from '../support/page-blocks.ts';

interface ComposeFile {
  readonly configs: Readonly<Record<string, { readonly content: string }>>;
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

  it('gives migration, API and worker the secrets of `x-steward`, which a list of their own would replace', async () => {
    const text = await readFile('docker-compose.yml', 'utf8');
    const own = (parse(text) as ComposeFile).services;
    const merged = (parse(text, { merge: true }) as ComposeFile).services;
    for (const service of ['migrate', 'api', 'worker']) {
      expect(own[service]).not.toHaveProperty('secrets');
      expect(merged[service]).toHaveProperty('secrets');
    }
  });
});

describe('the dynamic configuration of Temporal', () => {
  it('is that of docs/deployment.md for a Temporal of the reader', async () => {
    const { configs } = parse(await readFile('docker-compose.yml', 'utf8'), { merge: true }) as ComposeFile;
    const documented = (await pageBlocks('deployment')).find(({ language }) => language === 'yaml');
    expect(parse(documented?.text ?? '')).toEqual(parse(configs['temporal-dynamic-config']?.content ?? ''));
  });
});

describe('a documented `docker compose run` with a volume', () => {
  it('keeps the volumes that its service does not use, instead of mounting a new, empty one', async () => {
    const commands = (await markdownPages()).flatMap(({ text }) =>
      text.split('\n').filter((line) => line.startsWith('docker compose ') && line.includes(' --volume ')),
    );
    expect(commands).toHaveLength(2);
    for (const command of commands) expect(command).toContain('docker compose --all-resources run ');
  });
});

describe('every image of others', () => {
  it('is named by version and digest', async () => {
    const { services } = parse(await readFile('docker-compose.yml', 'utf8'), { merge: true }) as ComposeFile;
    const dockerfile = await readFile('Dockerfile', 'utf8');
    const images = [
      ...Object.values(services).map(({ image }) => String(image)),
      ...[...dockerfile.matchAll(/^FROM (\S+)/gm)].map(([, image]) => String(image)),
    ].filter((image) => !image.startsWith('steward:'));
    expect(images.length).toBeGreaterThan(8);
    for (const image of images) expect(image).toMatch(/^[a-z0-9./-]+:[a-z0-9.-]+@sha256:[0-9a-f]{64}$/);
    // One version of an image has one digest.
    const byVersion = new Map(images.map((image) => [image.split('@')[0], image]));
    expect(new Set(images)).toEqual(new Set(byVersion.values()));
  });
});

describe('the image', () => {
  it('gets its version from docker-compose.yml, and its revision from the shell', async () => {
    const { version } = JSON.parse(await readFile('package.json', 'utf8')) as { readonly version: string };
    const dockerfile = await readFile('Dockerfile', 'utf8');
    const { services } = parse(await readFile('docker-compose.yml', 'utf8'), { merge: true }) as ComposeFile;
    const declared = [...dockerfile.matchAll(/^ARG (\w+)/gm)].map(([, name]) => name);
    for (const service of ['migrate', 'api', 'worker']) {
      const { image, build } = services[service] as unknown as {
        readonly image: string;
        readonly build: { readonly args: readonly string[] };
      };
      expect(image).toBe(`steward:${version}`);
      expect(build.args).toContain(`VERSION=${version}`);
      expect(build.args).toContain('REVISION');
      expect(new Set(build.args.map((one) => one.split('=')[0]))).toEqual(new Set(declared));
    }
    const last = dockerfile.slice(dockerfile.lastIndexOf('\nFROM '));
    expect(last).toContain('image.version=$VERSION org.opencontainers.image.revision=$REVISION');
  });

  it('is built with the settings of TypeScript that those of the console extend', async () => {
    const { extends: extended } = JSON.parse(await readFile('console/tsconfig.json', 'utf8')) as {
      readonly extends: string;
    };
    const context = (await readFile('.dockerignore', 'utf8')).split('\n');
    expect(extended).toBe('../tsconfig.json');
    expect(context).toContain('!tsconfig.json');
  });
});
