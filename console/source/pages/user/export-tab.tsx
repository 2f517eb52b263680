import { useEffect, useRef, useState, type ReactNode } from 'react';
import { useAct } from '../../elements/act.ts';
import { Button } from '../../elements/button.tsx';
import { download } from '../../elements/download.ts';
import { Failure } from '../../elements/states.tsx';
import { useKeyOfPage } from '../../shell/key-of-page.ts';
import { exportUserData } from './queries.ts';

export function ExportTab({
  organizationId,
  userId,
}: {
  readonly organizationId: string;
  readonly userId: string;
}): ReactNode {
  const key = useKeyOfPage();
  const [pages, setPages] = useState(0);
  const running = useRef<AbortController>(undefined);
  // Who leaves the tab no longer wants the file.
  useEffect(() => () => running.current?.abort(), []);
  const { mutation, run } = useAct(
    (location: { readonly organizationId: string; readonly userId: string }) => {
      running.current = new AbortController();
      return exportUserData(key, location, { onPage: setPages, signal: running.current.signal });
    },
    {
      onSuccess: (data, location) =>
        download(`${location.organizationId}-${location.userId}.json`, 'application/json', [
          JSON.stringify(data, null, 2),
        ]),
    },
  );
  return (
    <section className="panel" aria-label="Export">
      <p>
        Downloads all data of this user in the organization as JSON: records, memberships, grants, comments,
        notifications, and records that name the user.
      </p>
      <div className="actions">
        <Button
          look="primary"
          isPending={mutation.isPending}
          onPress={() => {
            setPages(0);
            run({ organizationId, userId });
          }}
        >
          Export
        </Button>
      </div>
      <output className="quiet">
        {mutation.isPending && `${String(pages)} pages read …`}
        {mutation.isSuccess && `Exported ${String(pages)} pages.`}
      </output>
      {mutation.isError && <Failure error={mutation.error} />}
    </section>
  );
}
