import type { AppError } from '#shared/app-error';
import type { Notice } from '#shared/notice';

/** Reports that the user's list of prices cannot be read. */
export const priceNotice = ({ message, hint }: AppError): Notice => ({
  id: 'price-file',
  level: 'warning',
  title: 'Your list of prices cannot be read',
  detail: message,
  ...(hint !== undefined && { hint }),
});
