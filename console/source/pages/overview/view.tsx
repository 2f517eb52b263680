import type { ReactNode } from 'react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Overview } from '@steward/client';
import { BarChart } from '../../elements/bar-chart.tsx';
import { PageTitle } from '../../elements/page-title.tsx';
import { Queried } from '../../elements/states.tsx';
import { Status } from '../../elements/status.tsx';
import { Time } from '../../elements/time.tsx';
import { useKeyOfPage } from '../../shell/key-of-page.ts';
import { EndpointHealths } from './endpoint-healths.tsx';
import { overviewQuery, usageQuery } from './queries.ts';

export function OverviewView(): ReactNode {
  const query = useQuery(overviewQuery(useKeyOfPage()));
  return (
    <div className="page">
      <PageTitle>Overview</PageTitle>
      <Usage />
      <Queried query={query}>
        {(overview) => (
          <>
            <Jobs jobs={overview.jobs} />
            <Deletions deletions={overview.deletions} />
            <Deliveries deliveries={overview.deliveries} />
          </>
        )}
      </Queried>
      <EndpointHealths />
    </div>
  );
}

function Usage(): ReactNode {
  const usage = useQuery(usageQuery(useKeyOfPage()));
  return (
    <section className="panel" aria-label="Requests">
      <Queried query={usage}>
        {(hours) => (
          <BarChart
            title="Requests by hour, last 48 hours"
            names={['requests', 'errors']}
            bars={hours.map(({ at, requests, errors }) => ({ at, total: requests, marked: errors }))}
          />
        )}
      </Queried>
    </section>
  );
}

/** Max jobs that the API counts. */
const maxJobs = 10_000;
/** Max deliveries of a channel that the API counts. */
const maxDeliveries = 1_000;

function bounded(count: number, max: number): string {
  const shown = new Intl.NumberFormat('en').format(count);
  return count >= max ? `${shown} or more` : shown;
}

function Jobs({ jobs }: { readonly jobs: Overview['jobs'] }): ReactNode {
  const { keyId } = useKeyOfPage();
  const figures = [
    { status: 'failed', title: 'Failed jobs', count: jobs.failed },
    { status: 'in_progress', title: 'Running jobs', count: jobs.inProgress },
    { status: 'pending', title: 'Pending jobs', count: jobs.pending },
  ] as const;
  return (
    <div className="figures">
      {figures.map(({ status, title, count }) => (
        <div className="figure" key={status}>
          <Link to="/keys/$keyId/jobs" params={{ keyId }} search={{ status }}>
            {title}
          </Link>
          <strong>{bounded(count, maxJobs)}</strong>
        </div>
      ))}
    </div>
  );
}

function Deletions({
  deletions: { open, late, oldestAcceptedAt },
}: {
  readonly deletions: Overview['deletions'];
}): ReactNode {
  const { keyId } = useKeyOfPage();
  return (
    <section className="panel" aria-label="Deletions of user data">
      <h2>Open deletions of user data</h2>
      {open === 0 ? (
        <p>None.</p>
      ) : (
        <p>
          <Link to="/keys/$keyId/jobs" params={{ keyId }} search={{ kind: 'user-data-deletion' }}>
            {bounded(open, maxJobs)} not completed
          </Link>
          , the oldest accepted <Time at={oldestAcceptedAt} />.{' '}
          {late > 0 && <Status tone="bad">{bounded(late, maxJobs)} later than 12 hours</Status>}
        </p>
      )}
    </section>
  );
}

const channels = [
  ['email', 'E-mail'],
  ['slack', 'Slack'],
] as const;

function Deliveries({ deliveries }: { readonly deliveries: Overview['deliveries'] }): ReactNode {
  return (
    <section className="panel" aria-label="Notification deliveries">
      <h2>Waiting notification deliveries</h2>
      <ul className="steps">
        {channels.map(([name, title]) => {
          const { waiting, heldReason, heldSince } = deliveries[name];
          return (
            <li key={name}>
              {title}: {bounded(waiting, maxDeliveries)}
              {heldReason === null ? (
                <Status tone="good">Not held</Status>
              ) : (
                <>
                  <Status tone="warn">Held: {heldReason}</Status> since <Time at={heldSince} />
                </>
              )}
            </li>
          );
        })}
      </ul>
    </section>
  );
}
