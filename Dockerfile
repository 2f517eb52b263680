# Debian, not Alpine: Temporal's native SDK is built for glibc.
FROM node:24.21.0-bookworm-slim@sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6 AS build
WORKDIR /steward
COPY package.json package-lock.json .npmrc ./
COPY packages/client/package.json packages/client/
COPY console/package.json console/
RUN npm ci --ignore-scripts
COPY . .
# Bundled once here rather than at every start of a worker; kept in node_modules/.cache/steward.
RUN node -e "import('./worker/workflow-bundle.ts').then((it) => it.workflowBundle('/tmp/steward'))"
RUN npm run build -w console
RUN mkdir /deletion-journal

# What runs: no compilers, no test tools, no embedded PostgreSQL.
FROM node:24.21.0-bookworm-slim@sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6 AS dependencies
# Set to svix@2.5.0 for webhooks by Svix.
ARG SVIX_PACKAGE
# Set to @opentelemetry/sdk-node@0.301.0 for traces.
ARG TRACING_PACKAGE
WORKDIR /steward
COPY package.json package-lock.json .npmrc ./
COPY packages/client/package.json packages/client/
COPY console/package.json console/
# Temporal's SDK brings its native part for five kinds of machines, 28 MB each.
RUN npm ci --omit=dev --omit=optional --ignore-scripts && \
    if [ -n "$SVIX_PACKAGE$TRACING_PACKAGE" ]; then \
      npm install --save-prod --omit=dev --omit=optional --ignore-scripts $SVIX_PACKAGE $TRACING_PACKAGE; \
    fi && \
    npm cache clean --force && \
    find node_modules/@temporalio/core-bridge/releases -mindepth 1 -maxdepth 1 \
      ! -name "$(uname -m)-unknown-linux-gnu" -exec rm -r {} + && \
    npm pkg delete devDependencies optionalDependencies --workspaces --include-workspace-root && \
    npm sbom --sbom-format=cyclonedx > sbom.cdx.json

# Neither a shell nor a package manager: glibc, libstdc++ and certificates. Debian 12, as the stages above.
FROM gcr.io/distroless/cc-debian12:nonroot@sha256:9dac0a79194e45a7da0158a9c6da57b217585af0786db3845d1f0ec1a0dd182f
LABEL org.opencontainers.image.title="Steward" \
      org.opencontainers.image.description="Self-hosted management plane for real-time collaboration" \
      org.opencontainers.image.licenses="Apache-2.0"
# docker build --build-arg REVISION=$(git rev-parse HEAD) --build-arg VERSION=…; docker-compose.yml passes both.
ARG REVISION=unknown
ARG VERSION=unknown
LABEL org.opencontainers.image.version=$VERSION org.opencontainers.image.revision=$REVISION
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 LOG_FORMAT=json STEWARD_DATA_DIR=/tmp/steward \
    MALLOC_ARENA_MAX=1 MALLOC_TRIM_THRESHOLD_=1048576
WORKDIR /steward
COPY --from=dependencies /usr/local/bin/node /usr/local/bin/node
# The npm packages of node_modules, in CycloneDX. docs/deployment.md lists what it does not cover.
COPY --from=dependencies /steward/sbom.cdx.json ./
COPY --from=dependencies /steward/node_modules node_modules
COPY --from=build /steward/node_modules/.cache/steward node_modules/.cache/steward
COPY --from=build /steward/package.json ./
COPY --from=build /steward/api api
COPY --from=build /steward/domain domain
COPY --from=build /steward/workflows workflows
COPY --from=build /steward/activities activities
COPY --from=build /steward/worker worker
COPY --from=build /steward/server server
COPY --from=build /steward/platform platform
COPY --from=build /steward/local local
COPY --from=build /steward/cli cli
COPY --from=build /steward/packages packages
COPY --from=build /steward/console/dist console/dist
# A new volume takes its owner from here.
COPY --from=build --chown=nonroot:nonroot /deletion-journal /var/lib/steward/deletion-journal
USER nonroot
EXPOSE 3000
# Health check of the API; the worker's is in docker-compose.yml. Kubernetes reads neither.
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=6 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + process.env.PORT + '/readyz').then((it) => process.exit(it.ok ? 0 : 1))"]
# The API drains its requests and the worker its activities; give them 90 seconds (docker stop --time 90).
STOPSIGNAL SIGTERM
CMD ["node", "--max-semi-space-size=16", "--max-old-space-size=512", "--no-allocation-site-pretenuring", "--invocation-count-for-turbofan=500", "api/main.ts"]
