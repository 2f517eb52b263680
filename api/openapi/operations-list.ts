import { listItem } from '../../platform/markdown/list-item.ts';
import type { Endpoint } from '../http/endpoint.ts';
import { groupOf } from './groups.ts';

const credentialsMarks = { apiKey: 'A', workspace: 'W', operator: 'O' } as const;

/** Twins of one operation as one path. */
function shown(paths: readonly string[]): string {
  const [first = '', second] = paths;
  const twins = second !== undefined && first.replace('/v1/', '/v2/') === second;
  return twins ? first.replace('/v1/', '/v1|v2/') : paths.join(', ');
}

/** All operations in Markdown, by group: paths, whose credentials, what it does. */
export function operationsList(endpoints: readonly Endpoint[]): string {
  const groups = Map.groupBy(endpoints, ({ paths }) => groupOf(paths[0]));
  const sections = [...groups].map(([group, members]) => {
    const items = members.map(({ paths, credentials, summary }) =>
      listItem(`\`${shown(paths)}\` **${credentialsMarks[credentials]}** ${summary}`),
    );
    return `### ${group}\n\n${items.join('\n')}`;
  });
  return sections.join('\n\n');
}
