/** rspack.config.js puts the commit in the place of this name. */
declare const BUILT_FROM: string | undefined;

export const SERVICE_NAME = 'Keyledger';

/** The version of this build. A test compares it with package.json. */
export const VERSION = '0.1.0';

/** The commit that this build was made from, or `unknown`. */
export const COMMIT = typeof BUILT_FROM === 'string' ? BUILT_FROM : 'unknown';
