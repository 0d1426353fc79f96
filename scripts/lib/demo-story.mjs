import path from 'node:path';

/**
 * Runs the main workflow once, as a user does: asks a question, then lets Agent Mode run a plan on a folder.
 * Prints the transcript and saves a screenshot of every step.
 * @param {import('@playwright/test').Page} page
 * @param {string} output folder for the screenshots
 * @returns {Promise<boolean>} whether Agent Mode found the duplicate files
 */
export async function showDemo(page, output) {
  let step = 0;
  /** @param {string} name */
  const picture = (name) => page.screenshot({ path: path.join(output, `${++step}-${name}.png`) });
  await page.getByRole('textbox', { name: 'Message' }).waitFor();
  await picture('first-run');
  await tell(page, 1, 'Ask', 'What can you do?');
  await picture('ask');
  const answer = await tell(page, 2, 'Agent Mode', 'find duplicate files in ./docs');
  await picture('agent-mode');
  await page.emulateMedia({ colorScheme: 'dark' });
  await picture('dark');
  return answer.includes('licence.txt') && answer.includes('licence-old.txt');
}

/**
 * Sends one message and waits until its turn is complete.
 * @param {import('@playwright/test').Page} page
 * @param {number} turn from 1
 * @param {'Ask' | 'Agent Mode'} mode
 * @param {string} text
 * @returns {Promise<string>} what the window then shows for this turn
 */
async function tell(page, turn, mode, text) {
  await page.getByRole('radio', { name: mode, exact: true }).click();
  const composer = page.getByRole('textbox', { name: 'Message' });
  await composer.fill(text);
  await composer.press('Enter');
  const article = page.getByRole('article', { name: `Turn ${turn}`, exact: true });
  // Only a complete reply can be copied.
  await article.getByRole('button', { name: 'Copy reply' }).waitFor({ timeout: 60_000 });
  const shown = await article.innerText();
  process.stdout.write(`\n[${mode}] ${text}\n\n${shown.replaceAll(/\n{3,}/g, '\n\n')}\n`);
  return shown;
}
