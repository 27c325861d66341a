#!/bin/sh
# npm start: builds what is not built yet, or was built from another commit or before a source changed, and starts it.
set -u

is_current() {
  # `npm run dev` builds no console.
  test -e dist/main.js && test -e dist/console/index.html || return 1
  commit=$(git --git-dir=.git rev-parse HEAD 2>/dev/null) || commit=''
  node dist/cli.js --version | grep -q "commit $commit" || return 1
  for built in dist/main.js dist/console/index.html; do
    test -z "$(find src package-lock.json rspack.config.js -newer $built 2>/dev/null | head -n 1)" || return 1
  done
}

if ! is_current; then
  if test -e node_modules/@nestjs/cli && test -w . && { ! test -e dist || test -w dist; }; then
    npm run --silent build >&2 || exit
  elif test -e dist/main.js; then
    echo 'Starts what was built before, because it cannot build here.' >&2
  else
    echo 'dist/ is missing, and so is what builds it. Run `npm ci`, then `npm start`.' >&2
    exit 1
  fi
fi
exec node dist/main.js
