import type { ReactNode } from 'react';
import { getRouteApi } from '@tanstack/react-router';
import { SelectField, TextField } from '../../elements/field.tsx';
import { FilterForm } from '../../elements/filter-form.tsx';
import { localTime, timeOf } from '../../elements/local-time.ts';
import { actorKinds, outcomes, type AuditSearch } from './filters.ts';

const route = getRouteApi('/audit-log');

/** The filters of the audit log. Choices apply at once, texts when the form is sent. */
export function AuditFilters(): ReactNode {
  const { pageToken: _, ...search } = route.useSearch();
  const navigate = route.useNavigate();
  const change = (changed: AuditSearch): void => void navigate({ search: { ...search, ...changed } });
  return (
    <FilterForm
      label="Filter"
      send={(textOf) =>
        change({
          action: textOf('action'),
          actor: textOf('actor'),
          from: timeOf(textOf('from')),
          until: timeOf(textOf('until')),
        })
      }
    >
      <TextField name="action" label="Action" defaultValue={search.action} />
      <TextField name="actor" label="Actor" defaultValue={search.actor} />
      <SelectField
        label="Kind of actor"
        value={search.actorKind}
        values={actorKinds}
        none="All kinds"
        onChange={(actorKind) => change({ actorKind })}
      />
      <SelectField
        label="Outcome"
        value={search.outcome}
        values={outcomes}
        none="All outcomes"
        onChange={(outcome) => change({ outcome })}
      />
      <TextField name="from" label="From" type="datetime-local" defaultValue={localTime(search.from)} />
      <TextField name="until" label="Until" type="datetime-local" defaultValue={localTime(search.until)} />
    </FilterForm>
  );
}
