import type { ReactNode } from 'react';
import { getRouteApi, Link } from '@tanstack/react-router';
import { PageTitle } from '../../elements/page-title.tsx';
import { useKeyOfPage } from '../../shell/key-of-page.ts';
import { ConfigurationForm } from './configuration-form.tsx';
import { Domains } from './domains.tsx';
import { sectionNames } from './section-names.ts';
import { sections } from './sections.ts';

const route = getRouteApi('/keys/$keyId/settings');

export function SettingsView(): ReactNode {
  const { keyId } = useKeyOfPage();
  const { section = 'key' } = route.useSearch();
  return (
    <div className="page">
      <PageTitle>Settings</PageTitle>
      <nav className="tabs" aria-label="Settings">
        {sectionNames.map((name) => (
          <Link
            key={name}
            to="/keys/$keyId/settings"
            params={{ keyId }}
            search={{ section: name }}
            aria-current={name === section ? 'page' : undefined}
            activeProps={{}}
          >
            {name === 'domains' ? 'Domains' : sections[name].title}
          </Link>
        ))}
      </nav>
      {section === 'domains' ? <Domains /> : <ConfigurationForm key={section} name={section} />}
    </div>
  );
}
