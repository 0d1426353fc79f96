import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, type Page } from '@playwright/test';
import { test } from '../fixtures/patina';
import { composer } from '../fixtures/window';
import { openWorkflows, workflowPanel } from '../fixtures/workflow-window';

interface Focused {
  readonly name: string;
  readonly tag: string;
  /** Whether a person sees where the focus is. */
  readonly marked: boolean;
}

const focused = (page: Page): Promise<Focused> =>
  page.evaluate(() => {
    const element = document.activeElement;
    if (!(element instanceof HTMLElement)) return { name: '', tag: '', marked: false };
    const label = (element as HTMLInputElement).labels?.[0]?.textContent;
    const name = element.getAttribute('aria-label') ?? label ?? element.textContent;
    const look = getComputedStyle(element);
    const outlined = look.outlineStyle !== 'none' && parseFloat(look.outlineWidth) > 0;
    const bordered = element.matches('input, textarea, select');
    return { name: name.trim().slice(0, 80), tag: element.tagName, marked: outlined || bordered };
  });

/** Presses Tab (or Shift+Tab) until this has the focus; every stop on the way must be visible. */
async function tabTo(page: Page, name: RegExp, key = 'Tab'): Promise<void> {
  const seen: string[] = [];
  for (let presses = 0; presses < 160; presses += 1) {
    await page.keyboard.press(key);
    const now = await focused(page);
    expect(now.marked, `the focus on “${now.name}” (${now.tag}) is seen`).toBe(true);
    if (name.test(now.name)) return;
    seen.push(now.name.slice(0, 30));
  }
  throw new Error(`${key} reached ${seen.join(' | ')}, never ${String(name)}`);
}

/** To another tab of the workflow, with the arrow keys, from wherever the focus is. */
async function openTab(page: Page, name: string): Promise<void> {
  await tabTo(page, /^(Definition|Changes|Test phrases|Status and history)$/, 'Shift+Tab');
  for (let presses = 0; presses < 4; presses += 1) {
    if ((await focused(page)).name === name) return;
    await page.keyboard.press('ArrowRight');
  }
  expect((await focused(page)).name).toBe(name);
}

test('[T6-10-panel-keyboard] a workflow is found, changed, checked, compared, published and looked up by keyboard alone', async ({
  home,
  launch,
}) => {
  const { page } = await launch();
  await expect(composer(page)).toBeFocused();
  await openWorkflows(page);
  const panel = workflowPanel(page);
  await page.keyboard.type('review');
  await tabTo(page, /review_changes/);
  await page.keyboard.press('Enter');
  await expect(panel.getByRole('tab', { name: 'Definition' })).toBeVisible();
  await tabTo(page, /^Edit as a new version$/);
  await page.keyboard.press('Enter');

  await tabTo(page, /^Notes/);
  await page.keyboard.press('Control+End');
  await page.keyboard.type(' Written by keyboard.');
  await tabTo(page, /^Version/);
  await page.keyboard.press('Control+a');
  await page.keyboard.type('nine');
  await expect(panel.getByText(/1 field is not saved in the draft yet/)).toBeVisible();
  const finding = panel.getByRole('region', { name: 'Findings' }).getByRole('button', { name: 'Version' });
  await expect(finding).toBeVisible();
  await tabTo(page, /^Version$/, 'Shift+Tab');
  await page.keyboard.press('Enter');
  expect((await focused(page)).tag).toBe('INPUT');
  await page.keyboard.press('Control+a');
  await page.keyboard.type('9.0.0');
  await expect(panel.getByText('Nothing is missing.')).toBeVisible();
  await expect(panel.getByText('Saved in the draft.')).toBeVisible();

  await openTab(page, 'Changes');
  await expect(panel.getByRole('tabpanel')).toContainText('Written by keyboard.');
  await tabTo(page, /^Publish/);
  await page.keyboard.press('Enter');
  const published = join(home, 'workflows/published/review_changes.json');
  await expect.poll(() => existsSync(published) && readFileSync(published, 'utf8')).toContain('9.0.0');

  await openTab(page, 'Status and history');
  const versions = panel.getByRole('region', { name: 'Versions' });
  await expect(versions).toContainText('9.0.0');
  await expect(versions).toContainText('Built in');
  await tabTo(page, /^What changed$/);
  await page.keyboard.press('Enter');
  await expect(versions).toContainText('Written by keyboard.');
  await page.keyboard.press('Escape');
  await expect(panel).toHaveCount(0);
  await expect(composer(page)).toBeFocused();
});
