/** Of this build; that of package.json, to which a test holds it. */
export const VERSION = '0.1.0';
