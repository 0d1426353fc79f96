/**
 * The command line that runs a program where a window can open. On Linux that is a separate virtual display,
 * so that windows under test neither need a screen nor appear on the user's.
 * @param {string} file
 * @param {string[]} args
 * @returns {[file: string, args: string[]]}
 */
export function underDisplay(file, args) {
  if (process.platform !== 'linux') return [file, args];
  return ['xvfb-run', ['-a', '-s', '-screen 0 1600x1200x24', file, ...args]];
}
