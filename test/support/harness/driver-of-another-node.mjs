import process from 'node:process';

// Throws like Node for a module that was compiled for another version of Node.
process.dlopen = (_, path) => {
  throw Object.assign(
    new Error(`The module '${path}'\nwas compiled against a different Node.js version`),
    { code: 'ERR_DLOPEN_FAILED' },
  );
};
