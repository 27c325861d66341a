/** The form of the operating system's error codes, such as ENOSPC and EPIPE. */
const SYSTEM_ERROR = /^E[A-Z0-9]+$/;

/** Whether an error comes from the operating system. Judges by shape, as the error may come from another realm or a driver. */
export function isSystemError(error: unknown): boolean {
  if (typeof error !== 'object' || error === null || !('code' in error)) return false;
  return SYSTEM_ERROR.test(String(error.code));
}
