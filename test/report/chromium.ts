import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { type Browser, chromium } from 'playwright-core';

/** Browsers of the system, where the packaged one does not run. */
const installed = [
  process.env['FIRN_CHROMIUM'],
  '/usr/bin/chromium',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
].find((path) => path !== undefined && existsSync(path));

/** The packaged browser is made for this platform only. */
const isPackaged = process.platform === 'linux' && process.arch === 'x64';

export const hasChromium = isPackaged || installed !== undefined;

if (!hasChromium) {
  console.warn(
    'No Chromium: what tests of the page need is skipped. `sudo apt-get install chromium` brings one, or FIRN_CHROMIUM names it.',
  );
}

const args = [
  '--no-sandbox',
  '--no-zygote',
  '--disable-gpu',
  '--disable-dev-shm-usage',
  '--font-render-hinting=none',
  // Pages of a context share a process: starting one takes as long as most tests.
  '--renderer-process-limit=1',
];

const modules = resolve(import.meta.dirname, '../../node_modules');

/**
 * Starts a headless Chromium: the one that npm brought, where it is made for this platform. Nothing else need be installed then:
 * libraries that the system lacks, and fonts, come from the same package.
 */
export async function openBrowser(): Promise<Browser> {
  if (!isPackaged) return chromium.launch({ executablePath: installed ?? '', headless: true, args });
  const folder = await unpacked();
  const launch = (environment: Record<string, string>) =>
    chromium.launch({
      executablePath: join(folder, 'chromium'),
      headless: true,
      args,
      env: { ...(process.env as Record<string, string>), FONTCONFIG_FILE: join(folder, 'fonts.conf'), ...environment },
    });
  try {
    return await launch({});
  } catch {
    return launch({ LD_LIBRARY_PATH: join(folder, 'al2023', 'lib') });
  }
}

/** Unpacks the browser once, beside the other packages, under its final name only when it is whole. */
async function unpacked(): Promise<string> {
  const text = await readFile(join(modules, '@sparticuz', 'chromium', 'package.json'), 'utf8');
  const { version } = JSON.parse(text) as { version: string };
  const cache = join(modules, '.cache');
  const folder = join(cache, `firn-chromium-${version}`);
  if (existsSync(folder)) return folder;
  await mkdir(cache, { recursive: true });
  const fresh = await mkdtemp(`${folder}-`);
  // The package unpacks to the folder for temporary files; the libraries only where it takes the machine for a bare one.
  await promisify(execFile)(
    process.execPath,
    [
      '--input-type=module',
      '-e',
      "const { default: chromium } = await import('@sparticuz/chromium'); await chromium.executablePath();",
    ],
    { cwd: dirname(modules), env: { ...process.env, TMPDIR: fresh, AWS_LAMBDA_JS_RUNTIME: 'nodejs20.x' } },
  );
  await writeFile(join(fresh, 'fonts.conf'), fontsConf(folder));
  try {
    await rename(fresh, folder);
  } catch (error) {
    // Another test process was quicker.
    await rm(fresh, { recursive: true, force: true });
    if (!existsSync(folder)) throw error;
  }
  return folder;
}

const fontsConf = (folder: string) => `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig><dir>${join(folder, 'fonts')}</dir><dir>/usr/share/fonts</dir><cachedir>${join(folder, 'fonts-cache')}</cachedir></fontconfig>
`;
