import type { ReactNode } from 'react';
import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { BarChart } from '../../elements/bar-chart.tsx';
import { EndpointState } from '../../elements/endpoint-state.tsx';
import { PageTitle } from '../../elements/page-title.tsx';
import { Empty, Queried } from '../../elements/states.tsx';
import { useKeyOfPage } from '../../shell/key-of-page.ts';
import { useSession } from '../../shell/session-of-page.ts';
import { workspaceKeysQuery } from '../api-keys/queries.ts';
import { endpointsQuery } from '../webhooks/queries.ts';
import {
  jobCountQuery,
  maxCounted,
  operatorUsageQuery,
  workspaceUsageQuery,
  type UsageHour,
} from './queries.ts';

export function OverviewView(): ReactNode {
  const { kind } = useSession();
  return (
    <div className="page">
      <PageTitle>Overview</PageTitle>
      {kind === 'workspace' && <WorkspaceUsage />}
      {kind === 'operator' && <OperatorUsage />}
      <Jobs />
      <DisabledEndpoints />
    </div>
  );
}

function WorkspaceUsage(): ReactNode {
  const { keyId } = useKeyOfPage();
  const keys = useQuery(workspaceKeysQuery(undefined));
  const apiKey = keys.data?.keys.find((key) => key.keyId === keyId)?.apiKey;
  const usage = useQuery(workspaceUsageQuery(keyId, apiKey));
  if (keys.data !== undefined && apiKey === undefined) return null;
  return <Usage usage={usage} />;
}

function OperatorUsage(): ReactNode {
  const { keyId } = useKeyOfPage();
  return <Usage usage={useQuery(operatorUsageQuery(keyId))} />;
}

function Usage({ usage }: { readonly usage: UseQueryResult<readonly UsageHour[]> }): ReactNode {
  return (
    <section className="panel" aria-label="Requests">
      <Queried query={usage}>
        {(hours) => (
          <BarChart
            title="Requests by hour, last 48 hours"
            names={['Requests', 'Errors']}
            bars={hours.map(({ at, requests, errors }) => ({ at, total: requests, marked: errors }))}
          />
        )}
      </Queried>
    </section>
  );
}

const figures = [
  { status: 'failed', title: 'Failed jobs' },
  { status: 'in_progress', title: 'Running jobs' },
  { status: 'pending', title: 'Pending jobs' },
] as const;

function Jobs(): ReactNode {
  return (
    <div className="figures">
      {figures.map((figure) => (
        <JobFigure key={figure.status} {...figure} />
      ))}
    </div>
  );
}

function JobFigure({ status, title }: (typeof figures)[number]): ReactNode {
  const key = useKeyOfPage();
  const query = useQuery(jobCountQuery(key, status));
  return (
    <div className="figure">
      <Link to="/keys/$keyId/jobs" params={{ keyId: key.keyId }} search={{ status }}>
        {title}
      </Link>
      <Queried query={query}>
        {(count) => <strong>{count === maxCounted ? `${String(count)} or more` : count}</strong>}
      </Queried>
    </div>
  );
}

function DisabledEndpoints(): ReactNode {
  const key = useKeyOfPage();
  const query = useQuery(endpointsQuery(key, undefined));
  return (
    <section className="panel" aria-label="Webhook endpoints">
      <h2>Webhook endpoints that receive nothing</h2>
      <Queried query={query}>
        {({ endpoints, off = false }) => {
          const disabled = endpoints.filter((endpoint) => endpoint.disabled);
          if (off) return <Empty>Webhooks of this API key are off.</Empty>;
          if (disabled.length === 0) return <Empty>Every endpoint is enabled.</Empty>;
          return (
            <ul className="steps">
              {disabled.map((endpoint) => (
                <li key={endpoint.id}>
                  <Link
                    to="/keys/$keyId/endpoint"
                    params={{ keyId: key.keyId }}
                    search={{ endpointId: endpoint.id }}
                  >
                    {endpoint.url}
                  </Link>
                  <EndpointState endpoint={endpoint} />
                </li>
              ))}
            </ul>
          );
        }}
      </Queried>
    </section>
  );
}
