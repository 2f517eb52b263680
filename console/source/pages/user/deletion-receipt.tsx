import type { ReactNode } from 'react';
import { useQuery } from '@tanstack/react-query';
import { receipts, type UserDataDeletion } from '@steward/client';
import { Button } from '../../elements/button.tsx';
import { download } from '../../elements/download.ts';
import { Facts } from '../../elements/facts.tsx';
import { Failure, Loading } from '../../elements/states.tsx';
import { Status } from '../../elements/status.tsx';
import { Time } from '../../elements/time.tsx';
import { jwksQuery } from './queries.ts';

/** A receipt, verified in the browser with WebCrypto against the deployment's published keys. */
export function DeletionReceipt({
  jws,
  pseudonyms,
}: {
  readonly jws: string;
  readonly pseudonyms: UserDataDeletion['pseudonyms'];
}): ReactNode {
  const jwks = useQuery(jwksQuery);
  const verified = useQuery({
    queryKey: ['receipt', jws],
    queryFn: () => {
      if (jwks.data === undefined) throw new Error('The keys are not loaded.');
      const userIds = pseudonyms.map(({ userId }) => userId);
      return receipts.verify(jws, { jwks: jwks.data, userIds, pseudonyms });
    },
    enabled: jwks.data !== undefined,
    staleTime: Infinity,
    retry: false,
  });
  const error = jwks.error ?? verified.error;
  return (
    <section className="stack" aria-label="Receipt">
      <h2>Receipt</h2>
      {error !== null && <Failure error={error} />}
      {error === null && verified.data === undefined && <Loading />}
      {verified.data !== undefined && (
        <Facts
          facts={{
            Signature: <Status tone="good">Verified in this browser</Status>,
            Issuer: verified.data.claims.iss,
            Users: Object.entries(verified.data.covered)
              .map(([userId, covered]) => `${userId}: ${covered ? 'covered' : 'not covered'}`)
              .join(', '),
            Completed: <Time at={verified.data.claims.completedAt} />,
            'Nothing found': <Time at={verified.data.claims.verifiedAt} />,
            Unfinished:
              verified.data.claims.unfinished.length === 0
                ? 'None'
                : verified.data.claims.unfinished.join(', '),
          }}
        />
      )}
      <div className="actions">
        <Button onPress={() => download('deletion-receipt.jws', 'application/jose', [jws])}>
          Download the receipt
        </Button>
      </div>
    </section>
  );
}
