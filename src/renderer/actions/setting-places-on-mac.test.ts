import { expect, it, vi } from 'vitest';
import { settingPlaces, settingsOf } from './setting-places';

// The window is on a Mac, whose menu is never in the window.
vi.hoisted(() => Object.defineProperty(navigator, 'platform', { value: 'MacIntel', configurable: true }));

it('[LOOK-menu-bar] on a Mac, no setting is about the menu bar', () => {
  expect(settingsOf('appearance')).toContain('zoom');
  expect(settingsOf('appearance')).not.toContain('menuBar');
  expect(settingPlaces().map(({ setting }) => setting)).not.toContain('menuBar');
});
