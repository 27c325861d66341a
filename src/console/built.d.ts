/** The version and the commit that this console was built from (vite.config.js). */
declare const BUILT_VERSION: string;
declare const BUILT_FROM: string;
