import type { ReactNode } from 'react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { NotificationChannelExplanation } from '@steward/client';
import { Facts } from '../../elements/facts.tsx';
import { TextField } from '../../elements/field.tsx';
import { FilterForm } from '../../elements/filter-form.tsx';
import { Identifier } from '../../elements/identifier.tsx';
import { OrganizationField } from '../../elements/organization-field.tsx';
import { Empty, Queried } from '../../elements/states.tsx';
import { Status } from '../../elements/status.tsx';
import { Time } from '../../elements/time.tsx';
import { useKeyOfPage } from '../../shell/key-of-page.ts';
import { PreferencesTab } from '../user/preferences-tab.tsx';
import { deliveryTone } from './delivery-tone.ts';
import { explanationQuery, type Explained } from './queries.ts';

const route = getRouteApi('/keys/$keyId/notifications');

/** Explains why a user got a notification or not: the inbox, the rules of each channel, and the user's preferences. */
export function ExplainTab(): ReactNode {
  const { organizationId, notificationId, userId } = route.useSearch();
  const complete = organizationId !== undefined && notificationId !== undefined && userId !== undefined;
  return (
    <>
      <ExplainForm />
      {complete ? (
        <Explanation explained={{ organizationId, notificationId, userId }} />
      ) : (
        <Empty>Enter a notification and a user to see why the user did or did not get it.</Empty>
      )}
    </>
  );
}

function ExplainForm(): ReactNode {
  const { organizationId, notificationId, userId } = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <FilterForm
      label="Explain"
      send={(textOf) =>
        void navigate({
          search: {
            tab: 'explain',
            organizationId: textOf('organizationId'),
            notificationId: textOf('notificationId'),
            userId: textOf('userId'),
          },
        })
      }
    >
      <OrganizationField value={organizationId} />
      <TextField name="notificationId" label="Notification id" defaultValue={notificationId} required />
      <TextField name="userId" label="User id" defaultValue={userId} required />
    </FilterForm>
  );
}

function Explanation({ explained }: { readonly explained: Explained }): ReactNode {
  const query = useQuery(explanationQuery(useKeyOfPage(), explained));
  const { organizationId, userId } = explained;
  return (
    <div className="stack">
      <Queried query={query}>
        {({ inbox, email, slack }) => (
          <>
            <section className="panel" aria-label="Inbox">
              <h2>Inbox</h2>
              <Status tone={inbox.inInbox ? 'good' : 'plain'}>
                {inbox.inInbox
                  ? inbox.read
                    ? 'In the inbox, read'
                    : 'In the inbox, not read'
                  : 'Not in the inbox'}
              </Status>
            </section>
            <Channel title="E-mail" explanation={email} />
            <Channel title="Slack" explanation={slack} />
          </>
        )}
      </Queried>
      <h2>Preferences of the user</h2>
      <PreferencesTab organizationId={organizationId} userId={userId} />
    </div>
  );
}

function Channel({
  title,
  explanation: { outcome, reason, source, rules, dueAt, deliveryIds },
}: {
  readonly title: string;
  readonly explanation: NotificationChannelExplanation;
}): ReactNode {
  return (
    <section className="panel" aria-label={title}>
      <h2>{title}</h2>
      <Facts
        facts={{
          Outcome: <Status tone={deliveryTone(outcome)}>{outcome}</Status>,
          Reason: reason === null ? 'None' : <code>{reason}</code>,
          Source:
            source === 'recorded'
              ? 'Recorded when it happened'
              : 'Computed with the current settings: nothing is recorded',
          Due: <Time at={dueAt} />,
          Deliveries:
            deliveryIds.length === 0 ? 'None' : deliveryIds.map((id) => <Identifier key={id} value={id} />),
        }}
      />
      <h3>Rules, up to the first that stopped it</h3>
      {rules.length === 0 ? (
        <p className="quiet">No rule was applied.</p>
      ) : (
        <ol className="steps">
          {rules.map(({ rule, passed }, index) => (
            // A rule may run when a message is planned and again when it is sent.
            // oxlint-disable-next-line react/no-array-index-key
            <li key={index}>
              <code>{rule}</code>
              <Status tone={passed ? 'good' : 'bad'}>{passed ? 'Passed' : 'Stopped it'}</Status>
            </li>
          ))}
        </ol>
      )}
    </section>
  );
}
