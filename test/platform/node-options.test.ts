import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { nodeOptionsOf } from '../../platform/process/node-options.ts';

const read = (file: string): string => readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');

const { services } = parse(read('docker-compose.yml')) as {
  services: Record<'api' | 'worker', { command: string[] }>;
};

describe.each(['api', 'worker'] as const)('the program %s', (name) => {
  const command = ['node', ...nodeOptionsOf(`${name}/main.ts`), `${name}/main.ts`];

  it('is started with the same options by npm and by the compose file', () => {
    expect(command.length).toBeGreaterThan(2);
    expect(read('package.json')).toContain(`"exec ${command.join(' ')}"`);
    expect(services[name].command).toEqual(command);
  });
});

describe('the image', () => {
  it('starts the API with the same options', () => {
    const command = ['node', ...nodeOptionsOf('api/main.ts'), 'api/main.ts'];
    expect(read('Dockerfile')).toContain(`CMD [${command.map((part) => `"${part}"`).join(', ')}]`);
  });
});
