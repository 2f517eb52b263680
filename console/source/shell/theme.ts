export type Theme = 'system' | 'light' | 'dark';
export const themes: readonly Theme[] = ['system', 'light', 'dark'];

const name = 'steward-console-theme';

/** Storage may be denied; the theme is then the system's. */
export function storedTheme(): Theme {
  try {
    const stored = localStorage.getItem(name);
    return themes.find((theme) => theme === stored) ?? 'system';
  } catch {
    return 'system';
  }
}

export function storeTheme(theme: Theme): void {
  applyTheme(theme);
  try {
    localStorage.setItem(name, theme);
  } catch {
    // The theme then lasts until the page is loaded again.
  }
}

export function applyTheme(theme: Theme): void {
  document.documentElement.dataset['theme'] = theme;
}
