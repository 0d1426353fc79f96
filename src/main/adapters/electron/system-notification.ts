import { app, Notification } from 'electron';
import type { UserCall } from '../../../core/ports/user-call';
import { nativeTexts } from './native-texts';

/** Visible notifications: a notification that nothing references can no longer be clicked. */
const shown = new Set<Notification>();

/** How a notification is shown, and what the user does with it. */
export interface NotificationOptions {
  /** Plays the sound of the system. */
  readonly sound: boolean;
  readonly onClick: () => void;
  /** The answer to the write that the notification shows. */
  readonly onAnswer: (approved: boolean) => void;
}

/** The systems whose notifications have buttons. */
const hasButtons = (): boolean => ['darwin', 'win32'].includes(process.platform);

/**
 * Calls the user with a system notification; does nothing where the system has none. A single small write
 * is shown in full and can be answered there, where the system can.
 */
export function notifyUser(
  { reason, title, write }: UserCall,
  { sound, onClick, onAnswer }: NotificationOptions,
): void {
  if (!Notification.isSupported()) return;
  const { reasons, approve, deny } = nativeTexts();
  const answerable = hasButtons() ? write : undefined;
  const notification = new Notification({
    title: title || 'Patina',
    body: answerable ? `${reasons[reason]}\n${answerable.text}` : reasons[reason],
    silent: !sound,
    ...(answerable && { actions: [approve, deny].map((text) => ({ type: 'button', text })) }),
  });
  if (answerable) notification.on('action', (_details, index) => onAnswer(index === 0));
  const forget = (): void => void shown.delete(notification);
  shown.add(notification);
  notification.on('click', onClick);
  notification.on('click', forget);
  notification.on('action', forget);
  notification.on('close', forget);
  notification.on('failed', forget);
  notification.show();
}

/** Shows on the app's icon how many sessions wait for the user, where the system can. */
export const showBadge = (waiting: number): void => void app.setBadgeCount(waiting);
