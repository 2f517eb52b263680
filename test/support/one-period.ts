/** Repeats a check of hourly counts when an hour (UTC) ends while it runs. */
export const inOneHour = async (check: () => Promise<void>): Promise<void> => inOnePeriod(3_600_000, check);

/** Repeats a check of daily counts when a day (UTC) ends while it runs. */
export const onOneDay = async (check: () => Promise<void>): Promise<void> => inOnePeriod(86_400_000, check);

async function inOnePeriod(lengthMs: number, check: () => Promise<void>): Promise<void> {
  const period = () => Math.floor(Date.now() / lengthMs);
  const begun = period();
  try {
    await check();
  } catch (error) {
    if (period() === begun) throw error;
    await check();
  }
}
