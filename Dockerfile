# One image for every role; the command selects it. The default is the api.
#   docker build -t donorlens .
#   docker run --init donorlens node bin/donorlens --help     (--init: as process 1, node is not ended by a signal)
ARG NODE=24

FROM node:${NODE}-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# The compiler's binary is an optional package. No install script is needed.
RUN npm ci --workspaces=false --ignore-scripts
COPY .swcrc ./
COPY bin bin
COPY apps apps
COPY libs libs
COPY scripts scripts
RUN npm run build

FROM node:${NODE}-slim AS packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# Optional packages are the embedded Postgres and a faster msgpack.
RUN npm ci --workspaces=false --ignore-scripts --omit=dev --omit=optional

FROM node:${NODE}-slim
LABEL org.opencontainers.image.title="donorlens" \
      org.opencontainers.image.description="Enriches US political contributions with age, gender, ethnicity, county and income." \
      org.opencontainers.image.licenses="MIT"
ENV NODE_ENV=production \
    HOST=0.0.0.0 \
    PORT=3000 \
    METRICS_PORT=9464 \
    MALLOC_ARENA_MAX=2 \
    DONORLENS_HOME=/var/lib/donorlens
# The only writable folder: data releases and downloads, all of which can be fetched again.
RUN install -d -o node -g node /var/lib/donorlens
WORKDIR /app
COPY package.json LICENSE ./
COPY bin bin
COPY --from=packages /app/node_modules node_modules
# Without sources, bin/donorlens uses dist as it is.
COPY --from=build /app/dist dist
# Pages of /guide.
COPY docs docs
# A number, so that Kubernetes can verify that it is not root.
USER 1000:1000
EXPOSE 3000 9464
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=15s --timeout=10s --start-period=60s --retries=3 \
  CMD ["node", "bin/donorlens", "doctor", "--role", "api"]
CMD ["node", "--enable-source-maps", "--max-old-space-size=320", "--max-semi-space-size=16", "dist/apps/api/src/main.js"]
