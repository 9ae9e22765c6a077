# firn in a container: docker build -t firn . && docker run -v firn:/data/warehouse -v ./firn.yaml:/data/firn.yaml:ro firn
FROM node:22-bookworm AS build
WORKDIR /build
COPY package.json package-lock.json ./
COPY devnet/package.json devnet/package.json
# Builds libsecp256k1 where its package brings none (arm64).
RUN npm ci --ignore-scripts && npm rebuild secp256k1
COPY tsconfig.json bundle.js ./
COPY devnet/src devnet/src
COPY pipelines pipelines
COPY src src
RUN node bundle.js
RUN npm prune --omit=dev --ignore-scripts

FROM node:22-bookworm-slim
ENV NODE_ENV=production
WORKDIR /opt/firn
COPY --from=build /build/node_modules node_modules
COPY --from=build /build/dist dist
COPY devnet/ledger devnet/ledger
COPY sql sql
COPY examples/extend examples/extend
COPY package.json LICENSE CHANGELOG.md ./
WORKDIR /data
# Made here so that a new volume belongs to the user below.
RUN mkdir warehouse && chown node:node warehouse
USER node
VOLUME /data/warehouse
# Healthy: readers have a version, and nothing is broken or stale. A served number that differs (3) and records in quarantine (4) are
# news about the data; the container is well.
HEALTHCHECK --interval=5m --timeout=1m --start-period=1h \
  CMD /usr/local/bin/node /opt/firn/dist/cli/main.js --quiet status --check > /dev/null; code=$?; [ $code -eq 0 ] || [ $code -eq 3 ] || [ $code -eq 4 ]
ENTRYPOINT ["/usr/local/bin/node", "/opt/firn/dist/cli/main.js"]
CMD ["schedule"]
