/** A retry is the user's line, so that the model goes on from what is recorded. */
export const retryLine = 'Try that step again.';
