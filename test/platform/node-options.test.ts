import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { nodeOptionsOf } from '../../platform/process/node-options.ts';

const read = (file: string): string => readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');

describe('the API', () => {
  it('is started with the same options by npm, by the image and by the compose file', () => {
    const script = 'api/main.ts';
    const options = nodeOptionsOf(script);
    expect(read('package.json')).toContain(`"exec node ${options.join(' ')} ${script}"`);
    expect(read('Dockerfile')).toContain(
      `CMD [${['node', ...options, script].map((part) => `"${part}"`).join(', ')}]`,
    );
    const { services } = parse(read('docker-compose.yml')) as { services: { api: { command: string[] } } };
    expect(services.api.command).toEqual(['node', ...options, script]);
  });
});
