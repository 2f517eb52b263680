import { describe, expect, it } from '@jest/globals';
import { SendingShares } from '../../../domain/webhooks/delivery/sending-share.ts';

/** Returns the share of the last endpoint when this number of endpoints is served concurrently. */
async function shareOf(shares: SendingShares, endpoints: number): Promise<number> {
  return shares.serve(async (share) => (endpoints === 1 ? share() : shareOf(shares, endpoints - 1)));
}

describe('the requests in flight to an endpoint', () => {
  it('are at most the configured number when few endpoints are served', async () => {
    expect(await shareOf(new SendingShares(50), 1)).toBe(50);
    expect(await shareOf(new SendingShares(1), 1)).toBe(1);
    expect(await shareOf(new SendingShares(1), 300)).toBe(1);
  });

  it('are an equal share of 400, but at least 4, when many endpoints are served', async () => {
    expect(await shareOf(new SendingShares(50), 20)).toBe(20);
    expect(await shareOf(new SendingShares(50), 300)).toBe(4);
  });
});
