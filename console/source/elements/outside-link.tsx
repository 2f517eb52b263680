import type { ReactNode } from 'react';

/** A link that leaves the console, http and https only: customers choose some of these addresses. */
export function OutsideLink({
  url,
  children,
}: {
  readonly url: string;
  readonly children: ReactNode;
}): ReactNode {
  // `URL.parse` is missing before Safari 18.
  const protocol = URL.canParse(url) ? new URL(url).protocol : undefined;
  if (protocol !== 'https:' && protocol !== 'http:') return url;
  return (
    <a href={url} target="_blank" rel="noopener noreferrer">
      {children}
    </a>
  );
}
