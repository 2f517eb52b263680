import type { Endpoint } from '../http/endpoint.ts';
import { groupOf } from './groups.ts';

const credentialsMarks = { apiKey: 'A', workspace: 'W', operator: 'O' } as const;

/** Twins of one operation as one path. */
function shown(paths: readonly string[]): string {
  const [first = '', second] = paths;
  const twins = second !== undefined && first.replace('/v1/', '/v2/') === second;
  return twins ? first.replace('/v1/', '/v1\\|v2/') : paths.join(', ');
}

/** The README's table of operations, in Markdown: paths, whose credentials, what it does. */
export function operationsTable(endpoints: readonly Endpoint[]): string {
  const groups = Map.groupBy(endpoints, ({ paths }) => groupOf(paths[0]));
  const sections = [...groups].map(([group, members]) => {
    const rows = members.map(
      ({ paths, credentials, summary }) =>
        `| \`${shown(paths)}\` | ${credentialsMarks[credentials]} | ${summary} |`,
    );
    return [`| ${group} | | |`, '|---|---|---|', ...rows].join('\n');
  });
  return sections.join('\n\n');
}
