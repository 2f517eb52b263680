import { afterAll, describe, expect, it } from '@jest/globals';
import { escapedText } from '../../cli/visible-text.ts';
import { startTestApi } from '../support/api.ts';
import { printCommand, runCommand } from '../support/command-line.ts';
import { aTenant } from '../support/factories.ts';

const api = await startTestApi();
afterAll(api.close);

/** Begins a control sequence, and reverses the direction of the text. */
const name = 'a\u009b2J\u007f\u202eb';
const obeyed = /[\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/;

const tenant = await aTenant(api);
await tenant.workspace.ok('/v2/workspace/apikey/update', { apiKey: tenant.apiKey, apiKeyName: name });

const line = ['auditlog', 'export', '--action', 'key.update'];

async function onTerminal(...commandLine: readonly string[]): Promise<string> {
  let text = '';
  await printCommand(api, commandLine, (part) => void (text += part), {}, true);
  return text;
}

describe('a name with characters that a terminal obeys', () => {
  it.each([['ndjson'], ['csv']])(
    'is escaped in an export as %s to a terminal, and sent as it is elsewhere',
    async (format) => {
      const [shown, sent] = [
        await onTerminal(...line, '--format', format),
        await runCommand(api, [...line, '--format', format]),
      ];
      expect(shown).toContain('a\\u009b2J\\u007f\\u202eb');
      expect(shown).not.toMatch(obeyed);
      expect(sent).toContain(name);
      expect(shown.split('\n')).toHaveLength(sent.split('\n').length);
    },
  );

  it('is escaped in JSON, which has the same value', async () => {
    for (const commandLine of [line, ['auditlog', 'get']]) {
      const text = await runCommand(api, [...commandLine, '--json']);
      expect(text).not.toMatch(obeyed);
      expect(JSON.stringify(JSON.parse(text))).toContain(name);
    }
  });
});

describe('escaped text', () => {
  it('keeps line breaks, also when a part ends within one', () => {
    expect(['a\r\nb\n', 'c\r', '\nd\re\t'].map(escapedText)).toEqual([
      'a\r\nb\n',
      'c\r',
      '\nd\\u000de\\u0009',
    ]);
  });
});
