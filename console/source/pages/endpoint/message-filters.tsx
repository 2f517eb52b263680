import type { ReactNode } from 'react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { SelectField, TextField } from '../../elements/field.tsx';
import { FilterForm } from '../../elements/filter-form.tsx';
import { localTime, timeOf } from '../../elements/local-time.ts';
import { useKeyOfPage } from '../../shell/key-of-page.ts';
import { eventTypesQuery } from '../webhooks/queries.ts';
import { messageStatuses, type EndpointSearch } from './endpoint-search.ts';

const route = getRouteApi('/keys/$keyId/endpoint');

/** The filters of messages. Choices apply at once, texts and times when the form is sent. */
export function MessageFilters(): ReactNode {
  const { pageToken: _, ...search } = route.useSearch();
  const navigate = route.useNavigate();
  const types = useQuery(eventTypesQuery(useKeyOfPage()));
  const change = (changed: Partial<EndpointSearch>): void =>
    void navigate({ search: { ...search, ...changed } });
  return (
    <FilterForm
      label="Filter"
      send={(textOf) =>
        change({
          channel: textOf('channel'),
          since: timeOf(textOf('since')),
          until: timeOf(textOf('until')),
        })
      }
    >
      <SelectField
        label="Status"
        value={search.status}
        values={messageStatuses}
        none="All statuses"
        onChange={(status) => change({ status })}
      />
      <SelectField
        label="Event type"
        value={search.eventType}
        values={(types.data ?? []).map(({ name }) => name)}
        none="All types"
        onChange={(eventType) => change({ eventType })}
      />
      <TextField name="channel" label="Organization or document id" defaultValue={search.channel} />
      <TextField name="since" label="From" type="datetime-local" defaultValue={localTime(search.since)} />
      <TextField name="until" label="Until" type="datetime-local" defaultValue={localTime(search.until)} />
    </FilterForm>
  );
}
