import { copyFile, readFile } from 'node:fs/promises';
import { build } from 'rolldown';

/** What undici itself asks for, and firn never uses. */
const unused = [
  { importer: /undici\/index\.js$/, id: /^\.\/lib\/(web|mock)\// },
  { importer: /undici\/lib\/dispatcher\/client\.js$/, id: /^\.\/client-h2\.js$/ },
];

/**
 * undici without fetch, WebSockets, mocks and HTTP/2: firn sends by its pools alone. With what these load of Node itself (a second undici, its HTTP/2)
 * they were a fifth of what a start takes.
 */
const withoutWeb = {
  name: 'without-web',
  resolveId: (id, importer = '') =>
    unused.some((one) => one.importer.test(importer) && one.id.test(id)) ? '\0unused' : undefined,
  // A module whose every export is a class.
  load: (id) => (id === '\0unused' ? 'module.exports = new Proxy({}, { get: () => class {} });' : undefined),
};

// The command line and the library in a few files beside each other: one a command, and what they share, so that streams which import
// the library are made by the very code that runs them. Loading its 500 modules and those of
// its dependencies one by one took most of a second. Packages with native code, and those that look for files of their own, stay
// where they are installed.
await build({
  input: {
    main: 'src/cli/main.ts',
    library: 'src/library/index.ts',
    arrow: 'src/core/rows/arrowBatch.ts',
    senderWorker: 'src/decode/senders/senderWorker.ts',
    queryProcess: 'src/cli/queryProcess.ts',
  },
  platform: 'node',
  plugins: [withoutWeb],
  // What only a cluster needs the user brings.
  external: ['@duckdb/node-bindings', 'apache-arrow', 'secp256k1', 'tinypool', 'pg', '@aws-sdk/client-s3'],
  output: {
    dir: 'dist/cli',
    cleanDir: true,
    sourcemap: true,
    comments: { legal: true, annotation: false, jsdoc: false },
    chunkFileNames: '[name]-[hash].js',
  },
});

// The script of the report's page, with the library that draws and its licence.
await build({
  input: 'src/report/browser/main.ts',
  platform: 'browser',
  output: {
    file: 'dist/cli/page.js',
    format: 'iife',
    minify: true,
    banner: `/*! uPlot: ${(await readFile('node_modules/uplot/LICENSE', 'utf8')).trim()} */`,
  },
});
await copyFile('node_modules/uplot/dist/uPlot.min.css', 'dist/cli/plot.css');
