# The service in a container; docs/operations/deploy.md says how to run it.

# The first has a compiler and the headers of Node, for platforms without a prebuilt better-sqlite3. The other, with
# the same Node and C library, is what runs.
ARG BUILD_IMAGE=docker.io/library/node:24.19.0-bookworm
ARG NODE_IMAGE=docker.io/library/node:24.19.0-bookworm-slim

FROM ${BUILD_IMAGE} AS dependencies
WORKDIR /app
ENV npm_config_nodedir=/usr/local
COPY package.json package-lock.json ./
# Only one install script runs: it downloads the binary of better-sqlite3, or else compiles it. Files that only the
# compiler needs are not in the image that runs.
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
# Build with `docker build --build-arg COMMIT=$(git rev-parse HEAD)`.
ARG COMMIT=unknown
RUN npm run build && rm dist/*.map dist/chunks/*.map

FROM ${NODE_IMAGE}
# The same as in package.json and LICENSE: UNLICENSED of npm is not an expression of SPDX.
LABEL org.opencontainers.image.title="Keyledger" \
  org.opencontainers.image.description="Issues and governs API keys and registers end users for platforms that sell access to an API." \
  org.opencontainers.image.version="0.1.0" \
  org.opencontainers.image.licenses="LicenseRef-UNLICENSED"
WORKDIR /app
# The root file system may be read-only: DATA_DIR is a volume, and SQLite also uses it to sort data that does not fit into
# memory. Another volume may be mounted at /backups.
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 DATA_DIR=/data SQLITE_TMPDIR=/data
RUN mkdir /data /backups && chown 1000:1000 /data /backups && ln -s /app/dist/cli.js /usr/local/bin/keyledger
COPY package.json LICENSE ./
COPY --from=dependencies /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
USER 1000:1000
EXPOSE 3000
# This asks whether the process answers, not whether it is ready. An unhealthy container is restarted, which helps if the
# process hangs, but not if a server does not answer or a replay takes long.
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + (process.env.OPERATIONS_PORT || process.env.PORT) + '/health/live', { signal: AbortSignal.timeout(4000) }).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# Node itself is process 1, so that SIGTERM reaches it. The command line: docker exec … keyledger --help.
ENTRYPOINT ["node"]
CMD ["dist/main.js"]
