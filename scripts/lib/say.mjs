/**
 * Set-up writes to standard error only: standard output belongs to the command it prepares.
 * @param {string} line
 */
export function say(line) {
  process.stderr.write(`patina: ${line}\n`);
}
