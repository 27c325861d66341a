/** As the operating system names its errors: ENOSPC, EPIPE. */
const SYSTEM_ERROR = /^E[A-Z0-9]+$/;

/** Whether an error is one of the operating system. Told by shape, as it may come from another realm or a driver. */
export function isSystemError(error: unknown): boolean {
  if (typeof error !== 'object' || error === null || !('code' in error)) return false;
  return SYSTEM_ERROR.test(String(error.code));
}
