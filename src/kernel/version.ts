/** The name of the service, as people read it. */
export const NAME = 'Keyledger';

/** The version of this build. A test compares it with package.json. */
export const VERSION = '0.1.0';
