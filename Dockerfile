# The service in a container; docs/operations/deploy.md says how to run it.

# The first has a compiler and the headers of Node, for platforms without a prebuilt better-sqlite3. The other, with
# the same Node and C library, is what runs.
ARG BUILD_IMAGE=docker.io/library/node:24.19.0-bookworm
ARG NODE_IMAGE=docker.io/library/node:24.19.0-bookworm-slim

FROM ${BUILD_IMAGE} AS dependencies
WORKDIR /app
ENV npm_config_nodedir=/usr/local
COPY package.json package-lock.json ./
# One install script is run, whatever npm would run by itself: it fetches the binary of better-sqlite3 or else compiles
# it. What only the compiler needs stays behind.
RUN npm ci --omit=dev --omit=optional --ignore-scripts \
  && npm rebuild better-sqlite3 \
  && cd node_modules/better-sqlite3 \
  && node -e "new (require('better-sqlite3'))(':memory:').close()" \
  && cp build/Release/better_sqlite3.node . \
  && rm -rf build deps src \
  && mkdir -p build/Release \
  && mv better_sqlite3.node build/Release

FROM ${BUILD_IMAGE} AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts
COPY tsconfig.json nest-cli.json rspack.config.js ./
COPY src ./src
# docker build --build-arg COMMIT=$(git rev-parse HEAD)
ARG COMMIT=unknown
RUN npm run build && rm dist/*.map dist/chunks/*.map

FROM ${NODE_IMAGE}
# As package.json and LICENSE say it; UNLICENSED of npm is no expression of SPDX.
LABEL org.opencontainers.image.title="Keyledger" \
  org.opencontainers.image.description="Issues and governs API keys and registers end users for platforms that sell access to an API." \
  org.opencontainers.image.version="0.1.0" \
  org.opencontainers.image.licenses="LicenseRef-UNLICENSED"
WORKDIR /app
# The root file system may be read-only: DATA_DIR is a volume, and SQLite sorts there what memory does not hold. Another
# volume may take the place of /backups.
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 DATA_DIR=/data SQLITE_TMPDIR=/data
RUN mkdir /data /backups && chown 1000:1000 /data /backups && ln -s /app/dist/cli.js /usr/local/bin/keyledger
COPY package.json LICENSE ./
COPY --from=dependencies /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
USER 1000:1000
EXPOSE 3000
# Whether the process answers, not whether it is ready: who acts on this starts the container anew, which mends a hung
# process, but neither a server that is away nor a replay that takes its time.
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + (process.env.OPERATIONS_PORT || process.env.PORT) + '/health/live', { signal: AbortSignal.timeout(4000) }).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# Node itself is process 1, so that SIGTERM reaches it. The command line: docker exec … keyledger --help.
ENTRYPOINT ["node"]
CMD ["dist/main.js"]
