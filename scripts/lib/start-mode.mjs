/**
 * What `npm start` opens: the window when there is a display, a terminal conversation when there is only a
 * terminal, and the demonstration when there is neither.
 * @param {{platform?: NodeJS.Platform, env?: NodeJS.ProcessEnv, terminal?: boolean}} [world]
 * @returns {'window' | 'chat' | 'demo'}
 */
export function startMode(world = {}) {
  const { platform = process.platform, env = process.env } = world;
  const terminal = world.terminal ?? (process.stdin.isTTY && process.stdout.isTTY);
  const display = platform !== 'linux' || Boolean(env.DISPLAY) || Boolean(env.WAYLAND_DISPLAY);
  if (display) return 'window';
  return terminal ? 'chat' : 'demo';
}
