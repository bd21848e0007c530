# Longhand: the commands `worker`, `gateway` and `codec`, and all others. docs/deploying.md shows how it is run.

FROM node:20.20.2-bookworm-slim AS build
WORKDIR /build
COPY package.json package-lock.json ./
COPY packages/tools/package.json packages/tools/
COPY packages/gateway/package.json packages/gateway/
COPY packages/cli/package.json packages/cli/
# The packages of the lock file, without running their install scripts. They stay as they are when only code changes.
RUN npm install --no-save --include=dev --ignore-scripts --no-audit --no-fund
COPY scripts scripts
COPY tsconfig.json tsconfig.build.json ./
COPY src src
# The workflow bundle too: a worker starts without a bundler.
RUN node scripts/build.mjs

FROM node:20.20.2-bookworm-slim AS packages
WORKDIR /packages
COPY package.json package-lock.json ./
COPY packages/tools/package.json packages/tools/
COPY packages/gateway/package.json packages/gateway/
COPY packages/cli/package.json packages/cli/
COPY scripts/image-package.mjs scripts/image-package.mjs
# The lock file decides the versions. Temporal's core is shipped for five platforms in one package: the image keeps its own.
RUN node scripts/image-package.mjs \
  && npm install --omit=dev --ignore-scripts --no-audit --no-fund \
  && find node_modules/@temporalio/core-bridge/releases -mindepth 1 -maxdepth 1 \
    ! -name "$(uname -m)-unknown-linux-gnu" -exec rm -r {} + \
  && find node_modules -type f '(' -name '*.map' -o -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' ')' -delete

FROM node:20.20.2-bookworm-slim
ENV NODE_ENV=production
# Few arenas of the C library's allocator: each thread of Temporal's core would keep its own.
ENV MALLOC_ARENA_MAX=2
WORKDIR /opt/longhand
COPY --from=packages /packages/package.json ./
COPY --from=packages /packages/node_modules node_modules
COPY --from=build /build/dist dist
COPY --from=build /build/packages packages
COPY bin bin
COPY prices prices
COPY deploy/healthcheck.mjs deploy/healthcheck.mjs
COPY LICENSE ./
# Agents are mounted here, or copied by an image on top of this one. They find Longhand's packages above them, also if
# they have a package.json of their own.
RUN mkdir agents node_modules/@longhand \
  && ln -s /opt/longhand node_modules/longhand \
  && ln -s /opt/longhand/packages/* node_modules/@longhand/
# The user `node`. A number, so that Kubernetes can see that it is not root.
USER 1000:1000
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=6 \
  CMD ["node", "/opt/longhand/deploy/healthcheck.mjs", "http://127.0.0.1:7710/health"]
ENTRYPOINT ["node", "/opt/longhand/bin/longhand.js"]
CMD ["worker", "--module", "/opt/longhand/agents/agents.ts", "--health", "0.0.0.0:7710"]
