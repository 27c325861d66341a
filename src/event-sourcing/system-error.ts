/** The form of the operating system's error codes, such as ENOSPC and EPIPE. */
const SYSTEM_ERROR = /^E[A-Z0-9]+$/;

/** Whether an error is the system's, by its shape: a driver or another realm may throw it. */
export function isSystemError(error: unknown): boolean {
  if (typeof error !== 'object' || error === null || !('code' in error)) return false;
  return SYSTEM_ERROR.test(String(error.code));
}
