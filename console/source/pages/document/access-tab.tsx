import type { ReactNode } from 'react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { CheckedPermission } from '@steward/client';
import { Facts } from '../../elements/facts.tsx';
import { FindForm } from '../../elements/find-form.tsx';
import { Empty, Queried } from '../../elements/states.tsx';
import { Status } from '../../elements/status.tsx';
import { GrantExpiry } from '../../elements/time.tsx';
import { useKeyOfPage } from '../../shell/key-of-page.ts';
import { accessQuery, type DocumentLocation } from './queries.ts';

const route = getRouteApi('/keys/$keyId/document');

export function AccessTab(): ReactNode {
  const search = route.useSearch();
  const { userId, organizationId, documentId } = search;
  const navigate = route.useNavigate();
  return (
    <section className="stack" aria-label="Access">
      <FindForm
        label="User id"
        value={userId}
        find={(found) => void navigate({ search: { ...search, userId: found } })}
      />
      {userId === undefined ? (
        <Empty>Enter a user’s id to see the access to this document, explained step by step.</Empty>
      ) : (
        <Explained location={{ organizationId, documentId }} userId={userId} />
      )}
    </section>
  );
}

function Explained({
  location,
  userId,
}: {
  readonly location: DocumentLocation;
  readonly userId: string;
}): ReactNode {
  const query = useQuery(accessQuery(useKeyOfPage(), location, userId));
  return (
    <Queried query={query}>
      {(access) =>
        access === null ? (
          <Empty>The API returned no decision.</Empty>
        ) : (
          <div className="panel">
            <Facts
              facts={{
                Decision: access.hasAccess ? (
                  <Status tone="good">Access as {access.accessRole}</Status>
                ) : (
                  <Status tone="bad">No access</Status>
                ),
                Reason: <code>{access.reason}</code>,
                Expires: <GrantExpiry at={access.expiresAt} />,
              }}
            />
            <h2>Steps, from the document upward</h2>
            <ol className="steps">
              {(access.path ?? []).map((step, index) => (
                // Steps have no id, and their order never changes.
                // oxlint-disable-next-line react/no-array-index-key
                <li key={index}>
                  <Step step={step} number={index + 1} />
                </li>
              ))}
            </ol>
          </div>
        )
      }
    </Queried>
  );
}

const found: Readonly<Record<string, string>> = {
  grant: 'Grant',
  membership: 'Membership',
  'expired-grant': 'Expired grant',
  nothing: 'No grant or membership',
};

type PathStep = NonNullable<CheckedPermission['path']>[number];

function Step({ step, number }: { readonly step: PathStep; readonly number: number }): ReactNode {
  if ('from' in step) {
    const from =
      'folderId' in step
        ? `folder ${step.folderId}`
        : step.from === 'key default'
          ? 'API key, as the default'
          : step.from;
    return (
      <>
        <span className="quiet">{number}.</span> The access type <code>{step.accessType}</code> is set on the{' '}
        {from}.
      </>
    );
  }
  const tone = step.found === 'nothing' ? 'plain' : step.found === 'expired-grant' ? 'warn' : 'good';
  return (
    <>
      <span className="quiet">{number}.</span> {step.type} <code>{step.id}</code>
      <Status tone={tone}>{found[step.found] ?? step.found}</Status>
      {step.accessType !== undefined && (
        <span className="quiet">
          access type <code>{step.accessType}</code>
        </span>
      )}
    </>
  );
}
