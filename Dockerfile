# The image brings its own Node 24 and is given a Postgres, so neither is installed from npm.
FROM node:24-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev --omit=optional --ignore-scripts --no-fund --no-audit
COPY prisma.config.ts ./
COPY prisma prisma
COPY tools/generate-prisma.ts tools/
RUN mkdir -p src/db && node -e "import('./tools/generate-prisma.ts').then(({ generatePrisma }) => generatePrisma())"
COPY bin bin
COPY sql sql
COPY examples examples
COPY src src

FROM node:24-slim
WORKDIR /app
ENV NODE_ENV=production HOST=0.0.0.0 PORT=4000
COPY --from=build --chown=root:root /app /app
USER node
EXPOSE 4000
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/healthz`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "bin/freshet.js"]
CMD ["start"]
