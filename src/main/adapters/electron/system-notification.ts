import { app, Notification, type BrowserWindow } from 'electron';
import type { UserCall } from '../../../core/ports/user-call';
import { nativeTexts } from './native-texts';

/** Notifications that are on the screen: one that nobody holds can no longer be clicked. */
const shown = new Set<Notification>();

/** Calls the user with a silent system notification; does nothing where the system has none. */
export function notifyUser({ reason, title }: UserCall, onClick: () => void): void {
  if (!Notification.isSupported()) return;
  const notification = new Notification({
    title: title || 'Patina',
    body: nativeTexts().reasons[reason],
    silent: true,
  });
  const forget = (): void => void shown.delete(notification);
  shown.add(notification);
  notification.on('click', onClick);
  notification.on('click', forget);
  notification.on('close', forget);
  notification.on('failed', forget);
  notification.show();
}

/** Shows on the app's icon how many sessions wait for the user, where the system can. */
export const showBadge = (waiting: number): void => void app.setBadgeCount(waiting);

/** Whether the user cannot see the window now. */
export const isAway = (window: BrowserWindow | null): boolean =>
  window === null || !window.isFocused() || window.isMinimized();
