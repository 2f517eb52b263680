import { listItem } from '../../platform/markdown/list-item.ts';
import type { Endpoint } from '../http/endpoint.ts';
import { byGroup } from './groups.ts';

const credentialsMarks = { apiKey: 'A', workspace: 'W', operator: 'O' } as const;

/** Writes the `/v1` and `/v2` paths of one operation as one path. */
function shown(paths: readonly string[]): string {
  const [first = '', second] = paths;
  const twins = second !== undefined && first.replace('/v1/', '/v2/') === second;
  return twins ? first.replace('/v1/', '/v1|v2/') : paths.join(', ');
}

/** Returns a Markdown list of all operations by group: paths, credentials, summary. */
export function operationsList(endpoints: readonly Endpoint[]): string {
  const sections = byGroup(endpoints).map(([{ name }, members]) => {
    const items = members.map(({ paths, credentials, summary }) =>
      listItem(`\`${shown(paths)}\` **${credentialsMarks[credentials]}** ${summary}`),
    );
    return `### ${name}\n\n${items.join('\n')}`;
  });
  return sections.join('\n\n');
}
