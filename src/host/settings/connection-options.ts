import { accessSync, constants } from 'node:fs';

/** The options of either connection string that name files, in lower case and without `_` and `-`. */
const FILES = /^(tlscafile|tlscrlfile|tlscertificatekeyfile|usercertfile|userkeyfile)$/;

/**
 * Finds an option of a connection string that can never work, though its form is right. The client of a server would
 * notice only when it connects, and no waiting would help.
 * @returns what the option takes, for a message without the value; undefined when there is no such option.
 */
export function unusableOption(connectionString: string): string | undefined {
  const [, options = ''] = connectionString.split('?');
  for (const [name, value] of new URLSearchParams(options)) {
    if (FILES.test(name.toLowerCase().replace(/[_-]/g, '')) && !isReadable(value)) {
      return `in ${name} the path of a file that can be read`;
    }
    // The driver needs modules for the others, which are not installed.
    if (name === 'compressors' && !/^(none|zlib|,)*$/.test(value))
      return 'in compressors zlib or none';
  }
  return undefined;
}

function isReadable(file: string): boolean {
  try {
    accessSync(file, constants.R_OK);
    return true;
  } catch {
    return false;
  }
}
